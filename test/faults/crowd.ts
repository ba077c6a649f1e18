import { setTimeout as delay } from 'node:timers/promises';
import { seeded } from '../support/seeded.js';
import type { Json } from '../support/json.js';
import { PASSWORD } from '../support/world.js';
import type { Answer, RequestSpec, Draft } from './client.js';
import { Http, perform } from './client.js';
import { INVARIANTS } from './checker.js';
import type { FaultyDesk, Staff, Visitor } from './desk.js';
import { openDesk } from './desk.js';
import type { Crowding, Visibility, History, Operation } from './history.js';
import { now } from './history.js';
import type { Instance } from './instance.js';
import type { Credential } from './listener.js';
import { Listener } from './listener.js';
import type { Reading } from './reading.js';

/** Steps of each person in a seed. */
const STEPS = 14;
/** Ends during a seed only if clocks jump. */
const SNOOZED_MS = 120_000;
/** How long typing lasts, and how often it may be sent, in milliseconds. */
const TYPING_MS = 8_000;
const TYPES_EVERY_MS = 2_100;
/** Time after which a client stops retrying; the outcome stays unknown. */
const GIVE_UP_MS = 90_000;

/**
 * The clients of a seed: two workspaces whose visitors and agents send, unsend, assign, snooze, resolve and read over
 * both instances, while keys, members, tickets and invites end. A request without an outcome is retried with the same key
 * until it has one.
 */
export class Crowd {
  readonly http = new Http();
  readonly desks: FaultyDesk[] = [];
  readonly listeners: Listener[] = [];
  /** Number of requests with an outcome so far. */
  done = 0;
  private readonly credentials = new Map<string, Credential>();
  private readonly began = now();
  private readonly random: () => number;
  private words = 0;

  private constructor(
    private readonly instances: readonly Instance[],
    readonly history: History,
    seed: number,
  ) {
    this.random = seeded(seed * 7_919);
  }

  /** Opens two desks and all their sockets, before anything breaks. */
  static async open(instances: readonly Instance[], history: History, seed: number): Promise<Crowd> {
    const crowd = new Crowd(instances, history, seed);
    const urls = [instances[0], instances.at(-1)] as Instance[];
    crowd.desks.push(...(await Promise.all(urls.map(({ url }) => openDesk(crowd.http, url)))));
    await Promise.all(crowd.desks.flatMap(desk => crowd.listenersOf(desk)));
    return crowd;
  }

  recordCrowding(crowding: Crowding): void {
    this.history.crowding.push(crowding);
  }

  /** Approximate number of requests in the seed. */
  get expected(): number {
    return this.desks.length * (3 * STEPS + 2 * STEPS);
  }

  get workspaceIds(): string[] {
    return this.desks.map(({ workspaceId }) => workspaceId);
  }

  /** Runs all clients until every request has an outcome. */
  async live(): Promise<void> {
    const lives = this.desks.flatMap(desk => [
      ...desk.visitors.map(visitor => this.actAsVisitor(desk, visitor)),
      this.actAsAgent(desk, desk.owner, desk.visitors),
      this.actAsAgent(
        desk,
        desk.scoped,
        desk.visitors.filter(({ channel }) => channel === desk.channels[0]),
      ),
      ...this.endCredentials(desk),
    ]);
    await Promise.all(lives);
  }

  /**
   * Lets one visitor per desk type until all who should see it do, or until the first typing would expire.
   * @param bus true if other instances receive typing
   */
  async type(bus: boolean): Promise<void> {
    await Promise.all(
      this.desks.map(async ({ mark, workspaceId, visitors, channels }) => {
        const [, visitor] = visitors;
        const typist = this.listeners.find(
          ({ subscription }) => subscription.name === `the visitor ${mark} ${visitor?.mark}`,
        );
        const connection = typist?.subscription.connections.at(-1);
        if (!visitor || !typist || !connection) return;
        const { conversationId } = visitor;
        const since = now();
        const instance = bus ? null : connection.instance;
        const typing = {
          workspaceId,
          channelId: channels[0].id,
          conversationId,
          since,
          until: since + TYPING_MS,
          instance,
        };
        this.history.typing.push(typing);
        for (let at = 0; now() < typing.until; await delay(20)) {
          if (now() > at + TYPES_EVERY_MS) typist.send({ type: 'typing', conversation_id: conversationId });
          if (now() > at + TYPES_EVERY_MS) at = now();
          if ([...INVARIANTS.I12(this.history)].every(description => !description.includes(conversationId))) return;
        }
      }),
    );
  }

  /** Records a request that a fault made. */
  async recordOperation(made: ReturnType<typeof perform>): Promise<Operation> {
    const { operation } = await made;
    this.history.operations.push(operation);
    return operation;
  }

  /** Sends one message to one instance without retrying, and records it whatever its outcome. */
  async sendOnce(desk: FaultyDesk, visitor: Visitor, instance: Instance): Promise<Operation> {
    const { workspaceId } = desk;
    const { conversationId } = visitor;
    const actor = `${desk.mark} ${visitor.mark}`;
    const token = this.credentials.get(actor)?.token ?? visitor.token;
    const path = `/v1/widget/conversations/${conversationId}/messages`;
    const { spec, draft } = this.sendRequest(path, token, { actor, workspaceId, conversationId }, [desk, visitor]);
    const { operation } = await perform(this.http, instance, spec, draft);
    this.history.operations.push(operation);
    return operation;
  }

  /** True if every subscription has received every event of the reading that it may see. */
  hasReceived(reading: Reading): boolean {
    const audited = reading.events.map(({ id }) => id);
    const missing = INVARIANTS.I4(this.history, { ...reading, audited });
    return [...missing].every(description => !description.includes('did not receive'));
  }

  /** Records an event that should have arrived by now, for the checker to report. */
  recordOverdue(description: string): void {
    this.history.overdue.push(description);
  }

  async leave(): Promise<void> {
    await Promise.all(this.listeners.map(listener => listener.close()));
    this.http.hangUp();
  }

  private listenersOf(desk: FaultyDesk): Promise<void>[] {
    const { owner, scoped, leaver, second, workspaceId } = desk;
    const agents = [owner, scoped, leaver, second].map(({ name, token, refreshToken, visibility, channelIds }) => ({
      name: `the inbox of ${name}`,
      actor: name,
      audience: 'agent' as const,
      visibility,
      channelIds,
      conversationId: null,
      contactId: null,
      workspaceId,
      credential: this.credential(name, token, () => ({
        method: 'POST',
        path: '/v1/auth/refresh',
        body: { refresh_token: refreshToken },
      })),
    }));
    const visitors = desk.visitors.map((visitor, index) => ({
      name: `the visitor ${desk.mark} ${visitor.mark}`,
      actor: `${desk.mark} ${visitor.mark}`,
      audience: 'visitor' as const,
      visibility: visibilityOf(desk, visitor),
      channelIds: null,
      conversationId: index === 0 ? visitor.conversationId : null,
      contactId: visitor.contactId,
      workspaceId,
      credential: this.credential(`${desk.mark} ${visitor.mark}`, visitor.token, token => ({
        method: 'POST',
        path: '/v1/widget/session',
        token,
        body: { widget_token: visitor.channel.widgetToken },
      })),
      ...(index === 0 ? { query: { conv: visitor.conversationId } } : {}),
    }));
    return [...agents, ...visitors].map(async (room, index) => {
      const listener = await Listener.open(room, this.instances, index);
      this.listeners.push(listener);
      this.history.subscriptions.push(listener.subscription);
    });
  }

  private async actAsVisitor(desk: FaultyDesk, visitor: Visitor): Promise<void> {
    const random = seeded(this.random() * 2 ** 32);
    const actor = `${desk.mark} ${visitor.mark}`;
    const path = `/v1/widget/conversations/${visitor.conversationId}`;
    const draft = { actor, workspaceId: desk.workspaceId };
    let last: { spec: RequestSpec; draft: Draft } | null = null;
    for (let step = 0; step < STEPS; step += 1) {
      await this.pause(random);
      const dice = random();
      if (dice < 0.7 || !last) {
        last = this.sendRequest(
          `${path}/messages`,
          visitor.token,
          { ...draft, conversationId: visitor.conversationId },
          [desk, visitor],
        );
        await this.performUntilAnswered(last.spec, last.draft, random);
      } else if (dice < 0.82) {
        await this.performUntilAnswered(last.spec, last.draft, random);
      } else if (dice < 0.9) {
        const spec: RequestSpec = {
          method: 'POST',
          path: `${path}/read`,
          token: visitor.token,
          body: { seq: 1 + step },
        };
        await this.performUntilAnswered(spec, { ...draft, kind: 'change' }, random);
      } else {
        const visibleText = { visibility: visibilityOf(desk, visitor), text: '' };
        const spec: RequestSpec = { method: 'GET', path: `${path}/messages?limit=200`, token: visitor.token };
        await this.performUntilAnswered(spec, { ...draft, kind: 'look', visibleText }, random);
      }
    }
  }

  private async actAsAgent(desk: FaultyDesk, staff: Staff, visitors: readonly Visitor[]): Promise<void> {
    const random = seeded(this.random() * 2 ** 32);
    const draft = { actor: staff.name, workspaceId: desk.workspaceId };
    const sentMessages: { path: string; id: string }[] = [];
    for (let step = 0; step < STEPS; step += 1) {
      await this.pause(random);
      const visitor = visitors[Math.floor(random() * visitors.length)] as Visitor;
      const path = `/v1/conversations/${visitor.conversationId}`;
      const { token } = staff;
      const post = (action: string, body: object) =>
        this.performUntilAnswered(
          { method: 'POST', path: `${path}/${action}`, token, body },
          { ...draft, kind: 'change' },
          random,
        );
      const dice = random();
      if (dice < 0.6) {
        const kind = dice < 0.38 ? 'said' : 'note';
        const sendDraft = { ...draft, conversationId: visitor.conversationId };
        const request = this.sendRequest(`${path}/messages`, token, sendDraft, [desk, visitor], kind);
        const { answer } = await this.performUntilAnswered(request.spec, request.draft, random);
        if (answer !== null) sentMessages.push({ path: `${path}/messages/${answer}`, id: answer });
      } else if (dice < 0.68) {
        const member = [desk.owner.memberId, desk.scoped.memberId, null][Math.floor(random() * 3)];
        await post('assign', { member_id: visitor.channel === desk.channels[0] ? member : null });
      } else if (dice < 0.74) await post('read', { seq: 1 + step });
      else if (dice < 0.8) await post('resolve', {});
      else if (dice < 0.83) await post('snooze', dice < 0.82 ? { until: new Date(now() + SNOOZED_MS) } : {});
      else if (dice < 0.88 && sentMessages.length > 0) {
        const { path: messagePath } = sentMessages.pop() as { path: string };
        const [method, body] =
          random() < 0.5 ? (['DELETE', undefined] as const) : (['PATCH', { content: 'x' }] as const);
        const spec: RequestSpec = { method, path: messagePath, token, ...(body ? { body } : {}) };
        await this.performUntilAnswered(spec, { ...draft, kind: 'change' }, random);
      } else if (dice < 0.94) {
        const visibleText = { visibility: staff.visibility, text: '' };
        const spec: RequestSpec = { method: 'GET', path: '/v1/conversations?limit=50', token };
        await this.performUntilAnswered(spec, { ...draft, kind: 'look', visibleText }, random);
      } else await this.trespass(desk, staff, random);
    }
  }

  /** Requests something forbidden: another workspace's conversation, or one outside the agent's scope. */
  private async trespass(desk: FaultyDesk, staff: Staff, random: () => number): Promise<void> {
    const other = this.desks.find(candidate => candidate !== desk) as FaultyDesk;
    const foreign = staff.channelIds && random() < 0.5 ? desk.visitors[2] : other.visitors[0];
    const spec: RequestSpec = {
      method: 'GET',
      path: `/v1/conversations/${foreign?.conversationId}`,
      token: staff.token,
    };
    await this.performUntilAnswered(
      spec,
      { kind: 'trespass', actor: staff.name, workspaceId: desk.workspaceId },
      random,
    );
  }

  /** Spends tickets and invites, revokes a key, deactivates a member and logs out, while all others continue. */
  private endCredentials(desk: FaultyDesk): Promise<void>[] {
    const random = seeded(this.random() * 2 ** 32);
    const { workspaceId, key, mark, leaver, second, shortKey } = desk;
    const backend = { actor: `${mark} key`, workspaceId };
    const post = (path: string, body: object, draft: Draft, token?: string, headers?: Record<string, string>) => {
      const spec: RequestSpec = {
        method: 'POST',
        path,
        body,
        ...(token ? { token } : {}),
        ...(headers ? { headers } : {}),
      };
      return this.performUntilAnswered(spec, draft, random);
    };
    const end = (ends: string, kind: Draft['kind'], spec: RequestSpec, since: number) => async () => {
      await this.untilProgress(since);
      await this.performUntilAnswered(spec, { ...backend, kind, ends }, random);
    };
    const short = `${mark} short key`;
    const tasks: (() => Promise<unknown>)[] = [
      async () => {
        await this.untilProgress(random());
        const body = { email: desk.scoped.email };
        const issued = await post('/v1/auth/sso/ticket', body, { ...backend, kind: 'use' }, key);
        const url = this.answered.get(issued)?.body?.data?.redirect_url as string | undefined;
        if (url === undefined) return;
        const spend = { ...backend, kind: 'exchange' as const, key: url };
        const ticket = { ticket: url.split('sso_ticket=')[1] };
        await Promise.all([1, 2, 3].map(() => post('/v1/auth/sso/exchange', ticket, spend)));
      },
      async () => {
        await this.untilProgress(random());
        const email = `invited@${mark}.example.com`;
        const made = await post('/v1/workspace/invites', { email, role: 'agent' }, { ...backend, kind: 'use' }, key);
        const url = this.answered.get(made)?.body?.data?.accept_url as string | undefined;
        if (url === undefined) return;
        const accept = { ...backend, kind: 'accept' as const, key: url };
        const body = { invite_token: url.split('invite=')[1], name: 'Ines', password: PASSWORD };
        await Promise.all([1, 2].map(() => post('/v1/auth/register-user', body, accept)));
      },
      async () => {
        await this.untilProgress(random());
        const email = `made@${mark}.example.com`;
        const draft = { ...backend, kind: 'member' as const, key: `member-${mark}`, content: email };
        const headers = { 'Idempotency-Key': `member-${mark}` };
        const make = () => post('/v1/workspace/members', { email, name: 'Mia' }, draft, key, headers);
        await Promise.all([make(), make()]);
        await make();
      },
      end(short, 'revoke', { method: 'DELETE', path: `/v1/api-keys/${shortKey.id}`, token: key }, random()),
      end(
        leaver.name,
        'deactivate',
        { method: 'POST', path: `/v1/workspace/members/${leaver.memberId}/deactivate`, token: key },
        random(),
      ),
      end(
        second.name,
        'logout',
        { method: 'POST', path: '/v1/auth/logout', body: { refresh_token: second.refreshToken } },
        random(),
      ),
      () => this.keepUsing({ method: 'GET', path: '/v1/workspace', token: shortKey.key }, { ...backend, actor: short }),
      () =>
        this.keepUsing({ method: 'GET', path: '/v1/auth/me', token: leaver.token }, { ...backend, actor: leaver.name }),
      () =>
        this.keepUsing({ method: 'GET', path: '/v1/auth/me', token: second.token }, { ...backend, actor: second.name }),
    ];
    return tasks.map(async task => void (await task()));
  }

  /** Uses a credential on alternating instances until a little more than a second after its end. */
  private async keepUsing(spec: RequestSpec, draft: Omit<Draft, 'kind'>): Promise<void> {
    const ended = () =>
      this.history.operations.find(({ ends, outcome }) => ends === draft.actor && outcome !== 'unknown');
    for (let attempt = 0; ; attempt += 1) {
      const instance = this.instances[attempt % this.instances.length] as Instance;
      const { operation } = await perform(this.http, instance, spec, { ...draft, kind: 'use' });
      this.history.operations.push(operation);
      const end = ended();
      if ((end && now() > end.endedAt + 1_300) || this.timedOut) return;
      await delay(60);
    }
  }

  /** A shared token, renewed for all its users when it expires. */
  private credential(actor: string, token: string, renewal: (token: string) => RequestSpec): Credential {
    let renewing: Promise<boolean> | null = null;
    const credential: Credential = {
      token,
      renew: () => (renewing ??= renew().finally(() => (renewing = null))),
    };
    const renew = async (): Promise<boolean> => {
      for (const { url } of this.instances) {
        const answer = await this.http.send(url, renewal(credential.token)).catch(() => null);
        const fresh: unknown = answer?.body?.data?.token ?? answer?.body?.data?.visitor_token;
        if (typeof fresh === 'string') credential.token = fresh;
        if (answer && answer.status < 500) return typeof fresh === 'string';
      }
      return true;
    };
    this.credentials.set(actor, credential);
    return credential;
  }

  private readonly answered = new Map<Operation, Answer>();

  /** Data of the response that decided a request. */
  dataOf(operation: Operation): Json {
    return this.answered.get(operation)?.body?.data ?? null;
  }

  /** Tries one instance after another until a response decides the outcome. */
  async performUntilAnswered(spec: RequestSpec, draft: Draft, random: () => number): Promise<Operation> {
    for (let attempt = Math.floor(random() * 2); ; attempt += 1) {
      const instance = this.instances[attempt % this.instances.length] as Instance;
      const credential = this.credentials.get(draft.actor);
      const present = credential ? { ...spec, token: credential.token } : spec;
      const { operation, answer } = await perform(this.http, instance, present, draft);
      this.history.operations.push(operation);
      if (answer) this.answered.set(operation, answer);
      const expired = answer?.body?.error?.code === 'token_expired';
      if (expired && credential && (await credential.renew())) continue;
      if (operation.outcome !== 'unknown' || this.timedOut) {
        this.done += 1;
        return operation;
      }
      await delay(40 + random() * 160);
    }
  }

  private get timedOut(): boolean {
    return now() > this.began + GIVE_UP_MS;
  }

  private sendRequest(
    path: string,
    token: string,
    draft: Omit<Draft, 'kind'>,
    [desk, visitor]: [FaultyDesk, Visitor],
    kind: 'said' | 'note' = 'said',
  ): { spec: RequestSpec; draft: Draft } {
    const content = this.textOf(desk, visitor, kind);
    const body = { content, client_message_id: content, ...(kind === 'note' ? { private: true } : {}) };
    return { spec: { method: 'POST', path, token, body }, draft: { ...draft, kind: 'send', key: content, content } };
  }

  /** A text that no other message has, with the marks of where it belongs. */
  textOf(desk: FaultyDesk, visitor: Pick<Visitor, 'channel' | 'mark'>, kind: 'said' | 'note' = 'said'): string {
    this.words += 1;
    return `${desk.mark}.${visitor.channel.mark}.${visitor.mark}.${kind}.${this.words}`;
  }

  private pause(random: () => number): Promise<void> {
    return delay(10 + random() * 80);
  }

  /** Waits until this share of all requests is done. */
  async untilProgress(share: number): Promise<void> {
    while (this.done < share * 0.8 * this.expected && !this.timedOut) await delay(5);
  }
}

function visibilityOf(desk: FaultyDesk, visitor: Visitor): Visibility {
  return { workspace: desk.mark, channels: [visitor.channel.mark], visitor: visitor.mark, privateNotes: false };
}
