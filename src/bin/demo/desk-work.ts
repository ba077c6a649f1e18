import type { MessageView } from '@support-chat/sdk';
import { describeFault } from './desk-check.js';
import type { DeskPlan } from './desk-plan.js';
import { explainFailure } from './explain-failure.js';
import type { OnlineAgent } from './online-agent.js';
import type { PlayRecord } from './play-record.js';
import { retryRateLimited } from './retry-rate-limited.js';

/** A notification is at most two seconds behind its note, unless the machine is busy. */
const NOTIFICATION_MS = 2_000;

/** Modes in which the service assigns conversations. */
export type Routing = 'round_robin' | 'least_loaded';

export interface Desk {
  /** At least two, so that one can mention another. */
  agents: readonly OnlineAgent[];
  routing: Routing;
  /** Milliseconds until a frame counts as missing. */
  patienceMs: number;
}

/** The desk's work on one conversation besides answering it. Each method checks how the service reacts. */
export class DeskWork {
  private snoozed = false;

  private constructor(
    private readonly desk: Desk,
    private readonly conversationId: string,
    private readonly record: PlayRecord,
    /** The agent to whom the service assigned the conversation. */
    readonly assignee: OnlineAgent,
  ) {}

  /** Waits until the service has assigned the conversation. @throws Error if it does not, or not to one of the agents */
  static async begin(desk: Desk, conversationId: string, record: PlayRecord): Promise<DeskWork> {
    const { agents, routing, patienceMs } = desk;
    const assignee = await explainFailure('the conversation was not assigned', async () => {
      const { assignee_id, reason } = (await waitForEntry(agents[0]!, conversationId, 'assigned', patienceMs)).metadata;
      if (reason !== routing) throw new Error(`by ${String(reason)} instead of ${routing}`);
      const found = agents.find(({ member }) => member.id === assignee_id);
      if (!found) throw new Error(`to ${String(assignee_id)}, who is not one of the agents`);
      return found;
    });
    record.addEvent(`assigned to ${assignee.member.name} (${routing.replace('_', ' ')})`, {
      name: 'assigned',
      public: false,
    });
    record.outcome.assignee = assignee.member.name;
    return new DeskWork(desk, conversationId, record, assignee);
  }

  /** Another agent than the assignee. */
  get colleague(): OnlineAgent {
    const { agents } = this.desk;
    return agents[(agents.indexOf(this.assignee) + 1) % agents.length]!;
  }

  async tag(tags: string[]): Promise<void> {
    if (tags.length === 0) return;
    await retryRateLimited(() => this.conversations.update(this.conversationId, { tags }));
    this.record.addEvent(`tagged ${tags.join(', ')}`);
    this.record.outcome.tags = tags;
  }

  /** Mentions the colleague in a private note. @throws Error if the colleague is not notified */
  async askColleague(content: string): Promise<void> {
    const { colleague } = this;
    const metadata = { mentions: [colleague.member.id] };
    const note = await retryRateLimited(() =>
      this.conversations.send(this.conversationId, { content, private: true, metadata }),
    );
    this.record.addMessage({ speaker: 'note', name: this.assignee.member.name }, note);
    const { name } = colleague.member;
    this.record.outcome.notified = await explainFailure(`${name} was not notified of the note`, () =>
      this.waitForMention(colleague, note),
    );
    this.record.addEvent(`${name} is notified`);
  }

  /** Sets the conversation aside until the contact writes. */
  async snooze(): Promise<void> {
    await retryRateLimited(() => this.conversations.snooze(this.conversationId));
    this.record.addEvent('snoozed until the contact writes', { name: 'snoozed', public: false });
    this.snoozed = true;
  }

  /** Checks after a message of the contact that a snoozed conversation has woken, with the same assignee. */
  async checkWoken(): Promise<void> {
    if (!this.snoozed) return;
    await explainFailure('the snoozed conversation did not wake', async () => {
      const { metadata } = await waitForEntry(this.assignee, this.conversationId, 'woken', this.desk.patienceMs);
      if (metadata.reason !== 'contact_wrote') throw new Error(`its reason is ${String(metadata.reason)}`);
      if (metadata.assignee_id !== this.assignee.member.id) throw new Error('it has lost its assignee');
    });
    this.record.addEvent('woken, because the contact wrote', { name: 'woken', public: false });
    this.record.outcome.woken = true;
    this.snoozed = false;
  }

  async resolve(): Promise<void> {
    await retryRateLimited(() => this.conversations.resolve(this.conversationId));
    this.record.addEvent(`resolved by ${this.assignee.member.name}`, { name: 'resolved', public: true });
  }

  /** Reads the conversation as the colleague sees it. @throws Error if it is not as the desk left it */
  async check({ tags, rating }: DeskPlan): Promise<void> {
    const { conversations } = this.colleague.client;
    const found = await retryRateLimited(() => conversations.get(this.conversationId));
    const wrong = describeFault(found, { assigneeId: this.assignee.member.id, tags, rating });
    if (wrong !== undefined) throw new Error(`the conversation at the end: ${wrong}`);
  }

  private get conversations() {
    return this.assignee.client.conversations;
  }

  /**
   * Frames of notifications may miss sockets of other instances that share a database without Redis; lists do not. A
   * listed notification may still be on its way to the socket.
   */
  private async waitForMention({ client, notifications }: OnlineAgent, note: MessageView): Promise<'socket' | 'list'> {
    const { patienceMs } = this.desk;
    const stepMs = Math.min(NOTIFICATION_MS, patienceMs);
    const isMention = ({ type, message_id }: { type: string; message_id: string | null }) =>
      type === 'mentioned' && message_id === note.id;
    const arrives = () =>
      notifications.waitFor(this.conversationId, isMention, 'no notification.created', stepMs).then(
        () => true,
        () => false,
      );
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += stepMs) {
      if (await arrives()) return 'socket';
      const { items } = await retryRateLimited(() => client.notifications.list({ unread: 'true', limit: 200 }));
      if (items.some(isMention)) return (await arrives()) ? 'socket' : 'list';
    }
    throw new Error(`no notification within ${patienceMs / 1000} s`);
  }
}

function waitForEntry(agent: OnlineAgent, conversationId: string, name: string, patienceMs: number) {
  const isEntry = ({ metadata }: MessageView) => metadata.event === name;
  return agent.messages.waitFor(conversationId, isEntry, `no timeline entry “${name}”`, patienceMs);
}
