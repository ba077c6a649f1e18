import type { AttachmentView, MessageView, VisitorSocket } from '@support-chat/sdk';
import { VisitorClient } from '@support-chat/sdk';
import { noteText, type DeskPlan } from './desk-plan.js';
import { DeskWork, type Desk } from './desk-work.js';
import type { Dialogue, Speaker } from './dialogue.js';
import { explainFailure } from './explain-failure.js';
import { describeDifference, readHistory } from './history.js';
import { throttle, type Pace } from './pace.js';
import type { Person } from './people.js';
import { drawPhoto } from './photo.js';
import { PlayRecord } from './play-record.js';
import type { Received } from './received.js';
import { recordMessages } from './received-messages.js';
import { retryRateLimited } from './retry-rate-limited.js';

const PHOTO_NAME = 'parcel.jpg';

/** The settings and agents that all dialogues of a run share. */
export interface PlayContext extends Desk {
  baseUrl: string;
  wsBaseUrl?: string | undefined;
  widgetToken: string;
  pace: Pace;
}

/** Plays one dialogue between a new contact and the agent to whom the service assigns it. */
export class DialoguePlay {
  readonly record = new PlayRecord();
  private visitor!: VisitorClient;
  private socket!: VisitorSocket;
  private visitorMessages!: Received<MessageView>;
  private conversationId = '';
  private desk!: DeskWork;
  private readonly showVisitorTyping = throttle(id => this.socket.typing(id));

  constructor(
    private readonly context: PlayContext,
    private readonly dialogue: Dialogue,
    private readonly plan: DeskPlan,
    private readonly contact: Person & { externalId: string },
  ) {}

  /** @throws Error that names what was lost or did not happen */
  async run(): Promise<void> {
    const { baseUrl, wsBaseUrl, widgetToken, agents } = this.context;
    this.visitor = await retryRateLimited(() =>
      VisitorClient.start({ baseUrl, wsBaseUrl, widgetToken, ...this.contact }),
    );
    this.socket = await this.visitor.connect();
    try {
      this.visitorMessages = recordMessages(this.socket);
      await this.playTurns();
      await this.desk.resolve();
      await this.rate();
      await this.desk.check(this.plan);
      await this.checkHistories();
    } finally {
      this.socket.close();
      for (const agent of agents) agent.forget(this.conversationId);
    }
  }

  private async playTurns(): Promise<void> {
    const { noteBefore, snoozeAfter } = this.plan;
    let previous = '';
    for (const [position, [speaker, text]] of this.dialogue.turns.entries()) {
      if (position === noteBefore) await this.askColleague(previous);
      await this.simulateTurn(speaker, previous, text);
      const photo = position === this.plan.photoAt ? await this.uploadPhoto() : undefined;
      const message = await retryRateLimited(() => this.send(speaker, text, photo));
      this.record.addMessage({ speaker, name: this.nameOf(speaker) }, message);
      if (position === 0) await this.beginDeskWork();
      await this.checkDelivery(speaker, message);
      if (photo) await this.checkPhoto(message);
      if (speaker === 'contact') await this.desk.checkWoken();
      if (position === snoozeAfter) await this.desk.snooze();
      previous = text;
    }
  }

  private simulateTurn(speaker: Speaker, previous: string, text: string): Promise<void> {
    const showTyping = speaker === 'agent' ? this.desk.assignee.showTyping : this.showVisitorTyping;
    return this.context.pace.simulateTurn(
      previous,
      text,
      () => this.conversationId !== '' && showTyping(this.conversationId),
    );
  }

  private async send(speaker: Speaker, content: string, photo?: AttachmentView): Promise<MessageView> {
    if (speaker === 'agent') return this.desk.assignee.client.conversations.send(this.conversationId, content);
    const sent = { content, ...(photo && { attachment_ids: [photo.id] }) };
    if (this.conversationId !== '') return this.visitor.send(this.conversationId, sent);
    const { conversation, message } = await this.visitor.startConversation(sent);
    this.conversationId = conversation.id;
    return message;
  }

  private async uploadPhoto(): Promise<AttachmentView> {
    const photo = new Blob([new Uint8Array(await drawPhoto())]);
    return retryRateLimited(() => this.visitor.attachments.upload(photo, { name: PHOTO_NAME }));
  }

  /** Opens the photo by the URL that the agent's socket received. @throws Error if it is not the picture */
  private async checkPhoto({ id }: MessageView): Promise<void> {
    const shown = this.desk.assignee.messages.list(this.conversationId).find(message => message.id === id);
    const [file] = shown?.attachments ?? [];
    if (!file) throw new Error('the agent received no photo');
    const opened = await fetch(file.url);
    const { byteLength } = await opened.arrayBuffer();
    if (!opened.ok || byteLength !== file.size) throw new Error(`the photo was answered ${opened.status}`);
    this.record.addEvent(`${PHOTO_NAME} (${file.width} × ${file.height}) opened by ${this.desk.assignee.member.name}`);
    this.record.outcome.photo = true;
  }

  private async beginDeskWork(): Promise<void> {
    this.desk = await DeskWork.begin(this.context, this.conversationId, this.record);
    await this.desk.tag(this.plan.tags);
  }

  private askColleague(contactText: string): Promise<void> {
    return this.desk.askColleague(noteText(this.desk.colleague.member.name, this.dialogue, contactText));
  }

  private async rate(): Promise<void> {
    const { rating } = this.plan;
    if (!rating) return;
    await retryRateLimited(() => this.visitor.rate(this.conversationId, rating));
    this.record.addEvent(`rated ${rating.score} of 5: “${rating.comment}”`, { name: 'rated', public: false });
    this.record.outcome.score = rating.score;
  }

  private async checkDelivery(speaker: Speaker, { id, content }: MessageView): Promise<void> {
    const [received, side] =
      speaker === 'agent' ? [this.visitorMessages, 'visitor'] : [this.desk.assignee.messages, 'agent'];
    await explainFailure(`message ${this.record.messages} did not reach the ${side}`, async () => {
      const { patienceMs } = this.context;
      const shown = await received.waitFor(this.conversationId, one => one.id === id, 'no message.created', patienceMs);
      if (shown.content !== content) throw new Error(`it arrived as ${JSON.stringify(shown.content)}`);
    });
    this.record.frames += 1;
  }

  /** Checks on both sides that nothing was lost, doubled or leaked: in what they read, and in what their sockets got. */
  private async checkHistories(): Promise<void> {
    const id = this.conversationId;
    const { client, messages } = this.desk.assignee;
    const sides = [
      { side: 'visitor', reader: this.visitor, received: this.visitorMessages },
      { side: 'agent', reader: client.conversations, received: messages },
    ] as const;
    for (const { side, reader, received } of sides) {
      const history = await readHistory(range => retryRateLimited(() => reader.messages(id, range)));
      const wrong = describeDifference(this.record.historyOf(side), history);
      if (wrong !== undefined) throw new Error(`the ${side}’s history: ${wrong}`);
      const repeated = received.findRepeated(id);
      if (repeated.length > 0) throw new Error(`the ${side} received more than once: ${repeated.join(', ')}`);
    }
    const leaked = this.visitorMessages.list(id).filter(message => message.private);
    if (leaked.length > 0)
      throw new Error(`the visitor received private messages: ${leaked.map(m => m.id).join(', ')}`);
  }

  private nameOf(speaker: Speaker): string {
    return speaker === 'agent' ? this.desk.assignee.member.name : this.contact.name;
  }
}
