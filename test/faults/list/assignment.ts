import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { PASSWORD } from '../../support/world.js';
import { Backend } from '../backend.js';
import type { FaultyDesk } from '../desk.js';
import { readWaiting } from '../desk-reading.js';
import type { Fault, Scene } from '../fault.js';
import { killAt, pick } from '../fault.js';
import { now } from '../history.js';
import type { Rule } from '../instance.js';

/** Agents who come and go, beside those of the desk who stay. */
const AGENTS = 4;
const MODES = ['round_robin', 'least_loaded'];
const KILLED_MS = 1_500;
const PAUSE_MS = 120;
/** Attempts to connect, on a busy machine. */
const CONNECTS = 5;
/** Measuring ends here if conversations still wait. */
const GIVEN_UP_MS = 10_000;

/** An instance dies while it assigns. */
const assigning = (point: Rule['point'], when: string, passes: number): Fault => ({
  number: 'F27',
  name: `an instance is killed ${when} of an assignment`,
  async inject(scene) {
    const team = await Team.open(scene, pick(scene.random, scene.crowd.desks));
    const playing = new AbortController();
    const plays = team.play(playing.signal);
    plays.catch(() => undefined);
    try {
      const after = Math.floor(scene.random() * passes);
      await killAt(scene, { point, after, workers: ['assignments'] }, KILLED_MS, () => delay(0));
      playing.abort();
      await plays;
      await scene.stage.mend();
      await team.connect();
      await measureWaits(scene, team.agents);
    } finally {
      playing.abort();
      team.close();
    }
  },
});

/** The kill of an instance that assigns conversations. */
export const ASSIGNMENT_FAULTS: readonly Fault[] = [
  assigning('write', 'before a statement', 10),
  assigning('commit', 'before the COMMIT', 4),
];

/** An agent with a small capacity, and its socket while it is connected. */
interface Agent {
  memberId: string;
  token: string;
  socket: WebSocket | null;
}

/** The agents and contacts of a desk whose channels assign automatically. */
class Team {
  readonly agents: Agent[] = [];

  private constructor(
    private readonly scene: Scene,
    private readonly backend: Backend,
  ) {}

  static async open(scene: Scene, desk: FaultyDesk): Promise<Team> {
    const { random } = scene;
    const team = new Team(scene, new Backend(scene, desk));
    const { backend, agents } = team;
    const staff = [desk.owner, desk.scoped, desk.leaver];
    await Promise.all([
      ...staff.map(({ memberId }) => team.setCapacity(memberId, 2, desk.owner.token)),
      ...Array.from({ length: AGENTS }, async (_nothing, index) => agents.push(await team.hire(index))),
    ]);
    const change = (mode: string) => ({ routing: { mode } });
    await Promise.all(
      desk.channels.map(({ id }) => backend.must('PATCH', `/channels/${id}`, change(pick(random, MODES)))),
    );
    return team;
  }

  /** Contacts write and agents come, go and serve until the signal. */
  async play(signal: AbortSignal): Promise<void> {
    const { random } = this.scene;
    const repeat = async (act: () => Promise<unknown>): Promise<void> => {
      while (!signal.aborted) {
        await act();
        await delay(random() * PAUSE_MS);
      }
    };
    const { backend } = this;
    const open = () => backend.openConversation(pick(random, backend.desk.channels), 'v9');
    await Promise.all([repeat(open), ...this.agents.map(agent => repeat(() => this.act(agent)))]);
  }

  /** Connects every agent anew, to any instance. */
  async connect(): Promise<void> {
    await Promise.all(
      this.agents.map(async agent => {
        agent.socket?.terminate();
        agent.socket = null;
        for (let tries = 0; agent.socket === null && tries < CONNECTS; tries += 1) await this.come(agent);
        if (agent.socket === null) throw new Error('an agent cannot connect');
      }),
    );
  }

  close(): void {
    for (const { socket } of this.agents) socket?.terminate();
  }

  private async hire(index: number): Promise<Agent> {
    const { backend, scene } = this;
    const { mark, channels } = backend.desk;
    const email = `agent${index}@${mark}.example.com`;
    const scope = index === 0 ? { channel_ids: [pick(scene.random, channels).id] } : {};
    await backend.must('POST', '/workspace/members', { email, name: 'Ada', password: PASSWORD, ...scope });
    const { token, member } = await backend.must('POST', '/auth/login', { email, password: PASSWORD }, '');
    await this.setCapacity(member.id, 1 + Math.floor(scene.random() * 3));
    return { memberId: member.id, token, socket: null };
  }

  private async setCapacity(memberId: string, capacity: number, token?: string): Promise<void> {
    await this.backend.must('PATCH', `/workspace/members/${memberId}`, { capacity }, token);
  }

  private async act(agent: Agent): Promise<void> {
    const { random } = this.scene;
    if (agent.socket?.readyState !== WebSocket.OPEN) return this.come(agent);
    const dice = random();
    if (dice < 0.15) agent.socket.close();
    else if (dice < 0.25) await this.request(agent, 'PATCH', '/workspace/members/me', { availability: 'away' });
    else if (dice < 0.35) await this.request(agent, 'PATCH', '/workspace/members/me', { availability: 'online' });
    else await this.finishOne(agent, pick(random, ['resolve', 'resolve', 'snooze', 'handoff', 'assign']));
  }

  private async come(agent: Agent): Promise<void> {
    const { url } = pick(this.scene.random, this.scene.stage.instances);
    const target = `${url.replace('http', 'ws')}/ws/agent?token=${agent.token}`;
    const socket = new WebSocket(target, { handshakeTimeout: 4_000 });
    socket.on('error', () => undefined);
    const opened = await new Promise<boolean>(resolve => {
      socket.once('message', () => resolve(true));
      socket.once('close', () => resolve(false));
    });
    agent.socket = opened ? socket : null;
  }

  /** Ends the service of one of the agent's conversations, if it has one. It may have changed meanwhile. */
  private async finishOne(agent: Agent, action: string): Promise<void> {
    const list = await this.request(agent, 'GET', '/conversations?assignee=me&status=open&limit=1');
    const id: unknown = list?.items?.[0]?.id;
    if (typeof id !== 'string') return;
    await this.request(agent, 'POST', `/conversations/${id}/${action}`, action === 'assign' ? { member_id: null } : {});
  }

  private async request({ token, memberId }: Agent, method: string, path: string, body?: object) {
    const { crowd, random } = this.scene;
    const draft = { kind: 'change' as const, actor: memberId, workspaceId: this.backend.desk.workspaceId };
    const spec = { method, path: `/v1${path}`, token, ...(body ? { body } : {}) };
    return crowd.dataOf(await crowd.performUntilAnswered(spec, draft, random));
  }
}

/** Measures how long conversations wait beside agents who are free, until none does. */
async function measureWaits({ stage, crowd }: Scene, agents: readonly Agent[]): Promise<void> {
  const began = now();
  const connectedIds = agents.map(({ memberId }) => memberId);
  const since = new Map<string, { conversationId: string; memberId: string; from: number }>();
  const end = (key: string) => {
    const { from, ...pair } = since.get(key)!;
    crowd.history.waits.push({ ...pair, ms: now() - from, bus: stage.bus !== null });
    since.delete(key);
  };
  for (;;) {
    const pairs = await stage.database.with(client => readWaiting(client, crowd.workspaceIds, connectedIds));
    const keys = new Set(pairs.map(({ conversationId, memberId }) => `${conversationId} ${memberId}`));
    for (const key of since.keys()) if (!keys.has(key)) end(key);
    for (const pair of pairs) {
      const key = `${pair.conversationId} ${pair.memberId}`;
      if (!since.has(key)) since.set(key, { ...pair, from: now() });
    }
    if (pairs.length === 0) return;
    if (now() > began + GIVEN_UP_MS) for (const key of since.keys()) end(key);
    if (now() > began + GIVEN_UP_MS) return;
    await delay(50);
  }
}
