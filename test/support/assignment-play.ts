import { race } from './race.js';
import { seeded, waitUpTo } from './seeded.js';
import type { Caller } from './http.js';
import type { TestDatabase } from './database.js';
import type { TestSocket } from './socket.js';
import type { Agent, Desk, Visitor, World } from './world.js';

const AGENTS = 20;
const CONVERSATIONS = 200;
/** Visitors who write at the same time. */
const LANES = 6;
const ACTS_PER_AGENT = 10;
const PAUSE_MS = 150;
const SAMPLE_MS = 200;
const GIVEN_UP_MS = 30_000;

/** An agent and where it is connected. */
interface Player {
  agent: Agent;
  socket: TestSocket | null;
  random: () => number;
}

interface LoggedChange {
  type: string;
  actor: { type: string };
  conversationId: string | null;
  payload: {
    changes?: Record<string, { from: string | null; to: string | null }>;
    conversation?: { assignee_id: string | null; status: string };
    member?: { id: string; capacity: number };
  };
}

const FREE_BESIDE_WAITING = `
  SELECT request.conversation_id AS "conversationId", member.id AS "memberId"
  FROM assignment_request AS request
  JOIN channel ON channel.workspace_id = request.workspace_id AND channel.id = request.channel_id
  JOIN member ON member.workspace_id = request.workspace_id AND member.id = ANY ($2)
  LEFT JOIN member_load AS load ON load.workspace_id = member.workspace_id AND load.member_id = member.id
  WHERE request.workspace_id = $1 AND request.assignee_id IS NULL AND channel.routing ->> 'mode' <> 'manual'
    AND member.availability = 'online' AND coalesce(load.open_count, 0) < member.capacity
    AND (member.channel_ids IS NULL OR channel.id = ANY (member.channel_ids))
    AND member.id IS DISTINCT FROM request.excluded_member_id`;
const LOG = `
  SELECT type, actor, conversation_id AS "conversationId", payload FROM event
  WHERE workspace_id = $1 AND type IN ('conversation.created', 'conversation.updated', 'member.updated')
  ORDER BY position`;

/** A conversation that waits, and a member who could take it. */
interface Pair {
  conversationId: string;
  memberId: string;
}

/** Visitors open conversations on two channels and two instances while agents come and go, serve and hand off. */
export class AssignmentPlay {
  private readonly random: () => number;
  private players: Player[] = [];
  private desk!: Desk;
  private visitors: Visitor[] = [];
  private readonly capacities = new Map<string, number>();
  /** Since when each pair has been seen without interruption. */
  private pairs = new Map<string, number>();
  /** Longest time in milliseconds for which a conversation waited beside a member who could take it. */
  longestPairMs = 0;

  constructor(
    private readonly worlds: readonly [World, World],
    private readonly database: TestDatabase,
    seed: number,
  ) {
    this.random = seeded(seed);
  }

  async run(): Promise<void> {
    await this.prepare();
    const visitors = race(LANES, index => this.openConversations(index));
    const agents = race(AGENTS, index => this.playAgent(this.players[index] as Player));
    let playing = true;
    const sampling = this.samplePairs(() => playing);
    await Promise.all([visitors, agents]);
    playing = false;
    await sampling;
  }

  /** Measures until no conversation waits beside a member who could take it. */
  private async samplePairs(isPlaying: () => boolean): Promise<void> {
    do {
      await new Promise(resolve => setTimeout(resolve, SAMPLE_MS));
      const now = performance.now();
      const keys = (await this.findPairs()).map(({ conversationId, memberId }) => `${conversationId} ${memberId}`);
      this.pairs = new Map(keys.map(key => [key, this.pairs.get(key) ?? now]));
      this.longestPairMs = Math.max(this.longestPairMs, ...[...this.pairs.values()].map(since => now - since));
    } while ((isPlaying() || this.pairs.size > 0) && this.longestPairMs < GIVEN_UP_MS);
  }

  async stop(): Promise<void> {
    for (const { socket } of this.players) await socket?.close();
  }

  private findPairs(): Promise<Pair[]> {
    const connected = this.players.filter(({ socket }) => socket !== null).map(({ agent }) => agent.memberId);
    return this.database.query(FREE_BESIDE_WAITING, [this.desk.workspaceId, connected]);
  }

  /** Replays the event log. @returns what the service assigned though it was assigned, or past a capacity */
  async findFaults(): Promise<string[]> {
    const faults: string[] = [];
    let assignments = 0;
    const states = new Map<string, { assignee: string | null; status: string }>();
    const capacities = new Map(this.capacities);
    const loadOf = (id: string) =>
      [...states.values()].filter(({ assignee, status }) => assignee === id && status === 'open').length;
    for (const { type, actor, conversationId, payload } of await this.database.query<LoggedChange>(LOG, [
      this.desk.workspaceId,
    ])) {
      if (payload.member && type === 'member.updated') capacities.set(payload.member.id, payload.member.capacity);
      if (conversationId === null) continue;
      const { assignee, status } = states.get(conversationId) ?? { assignee: null, status: 'open' };
      const { assignee_id: assigned, status: moved } = payload.changes ?? {};
      states.set(conversationId, { assignee: assigned ? assigned.to : assignee, status: moved?.to ?? status });
      if (actor.type !== 'system' || !assigned?.to) continue;
      assignments += 1;
      if (assignee !== null) faults.push(`${conversationId} was assigned twice`);
      if (loadOf(assigned.to) > (capacities.get(assigned.to) ?? 0)) faults.push(`${assigned.to} has too many`);
    }
    return assignments < AGENTS ? [...faults, `only ${assignments} assignments`] : faults;
  }

  private async prepare(): Promise<void> {
    const [world] = this.worlds;
    this.desk = await world.desk();
    const mode = () => (this.random() < 0.5 ? 'round_robin' : 'least_loaded');
    const { owner } = this.desk;
    const many = { single_conversation: false };
    await owner.api.patch(`/v1/channels/${this.desk.channelId}`, { routing: { mode: mode() }, ...many });
    const other = await world.channel(this.desk, { routing: { mode: mode() }, ...many });
    const widgets = [this.desk, { widgetToken: other.widget_token as string }];
    this.visitors = await race(widgets.length, index => world.visitor(widgets[index] ?? this.desk));
    const scopes = [null, null, [this.desk.channelId], [other.id as string]];
    this.players = await race(AGENTS, async index => {
      const random = seeded(Math.floor(this.random() * 2 ** 31));
      const agent = await world.colleague(this.desk, { channel_ids: scopes[index % scopes.length] ?? null } as object);
      const capacity = 1 + Math.floor(random() * 12);
      this.capacities.set(agent.memberId, capacity);
      await this.database.query('UPDATE member SET capacity = $2 WHERE id = $1', [agent.memberId, capacity]);
      return { agent, socket: null, random };
    });
  }

  private async openConversations(lane: number): Promise<void> {
    const random = seeded(Math.floor(this.random() * 2 ** 31) + lane);
    for (let count = lane; count < CONVERSATIONS; count += LANES) {
      const world = this.worlds[random() < 0.5 ? 0 : 1];
      const visitor = this.visitors[random() < 0.5 ? 0 : 1] as Visitor;
      await world.conversation({ ...visitor, api: world.as(visitor.token) });
      await waitUpTo(random, PAUSE_MS / LANES);
    }
  }

  private async playAgent(player: Player): Promise<void> {
    for (let count = 0; count < ACTS_PER_AGENT; count += 1) {
      await waitUpTo(player.random, PAUSE_MS);
      await this.act(player);
    }
  }

  private async act(player: Player): Promise<void> {
    const { agent, random } = player;
    const world = this.worlds[random() < 0.5 ? 0 : 1];
    const api = world.as(agent.token);
    if (player.socket === null) {
      player.socket = await world.agentSocket(agent);
      return;
    }
    const dice = random();
    if (dice < 0.15) {
      const { socket } = player;
      player.socket = null;
      await socket.close();
    } else if (dice < 0.3) {
      const availability = random() < 0.3 ? 'away' : 'online';
      await api.patch('/v1/workspace/members/me', { availability });
    } else if (dice < 0.4) {
      await this.setCapacity(agent, Math.floor(random() * 12));
    } else {
      await this.finishOne(api, ['resolve', 'snooze', 'handoff', 'assign'][Math.floor(random() * 4)] ?? 'resolve');
    }
  }

  /** Ends the agent's service of one of its conversations, if it has one. Another agent may have been faster. */
  private async finishOne(api: Caller, action: string): Promise<void> {
    const { items } = (await api.get('/v1/conversations?assignee=me&status=open&limit=1')).data as {
      items: { id: string }[];
    };
    const [current] = items;
    if (current)
      await api.post(`/v1/conversations/${current.id}/${action}`, action === 'assign' ? { member_id: null } : {});
  }

  private setCapacity({ memberId }: Agent, capacity: number) {
    return this.desk.owner.api.patch(`/v1/workspace/members/${memberId}`, { capacity });
  }
}
