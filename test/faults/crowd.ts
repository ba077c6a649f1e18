import { setTimeout as delay } from 'node:timers/promises';
import { seeded } from '../support/seeded.js';
import { PASSWORD } from '../support/world.js';
import type { Answer, Ask, Draft } from './client.js';
import { Http, perform } from './client.js';
import { INVARIANTS } from './checker.js';
import type { FaultyDesk, Staff, Visitor } from './desk.js';
import { openDesk } from './desk.js';
import type { Crowding, Ears, History, Operation } from './history.js';
import { now } from './history.js';
import type { Instance } from './instance.js';
import type { Credential } from './listener.js';
import { Listener } from './listener.js';
import type { Reading } from './reading.js';

/** What each person does in a seed. */
const STEPS = 14;
/** How long typing lasts, and how often it may be said. */
const TYPING_MS = 8_000;
const TYPES_EVERY_MS = 2_100;
/** After so long a client gives up for good, and what it wanted stays unknown. */
const GIVE_UP_MS = 90_000;

/**
 * The people of a seed: two workspaces whose visitors and agents talk, take back, assign, resolve and read, over both
 * instances, while keys, members, tickets and invites come to their ends. What nobody answered is asked again, under
 * the same key, until somebody does.
 */
export class Crowd {
  readonly http = new Http();
  readonly desks: FaultyDesk[] = [];
  readonly listeners: Listener[] = [];
  /** Requests that were answered so far, one way or another. */
  done = 0;
  private readonly credentials = new Map<string, Credential>();
  private readonly began = now();
  private readonly random: () => number;
  private words = 0;

  private constructor(
    private readonly instances: readonly Instance[],
    private readonly history: History,
    seed: number,
  ) {
    this.random = seeded(seed * 7_919);
  }

  /** Two desks and everybody at their sockets, before anything breaks. */
  static async gather(instances: readonly Instance[], history: History, seed: number): Promise<Crowd> {
    const crowd = new Crowd(instances, history, seed);
    const urls = [instances[0], instances.at(-1)] as Instance[];
    crowd.desks.push(...(await Promise.all(urls.map(({ url }) => openDesk(crowd.http, url)))));
    await Promise.all(crowd.desks.flatMap(desk => crowd.listenersOf(desk)));
    return crowd;
  }

  noteCrowding(crowding: Crowding): void {
    this.history.crowding.push(crowding);
  }

  /** About so many requests there will be. */
  get expected(): number {
    return this.desks.length * (3 * STEPS + 2 * STEPS);
  }

  get workspaceIds(): string[] {
    return this.desks.map(({ workspaceId }) => workspaceId);
  }

  /** Until everybody has said everything, and each answer is known. */
  async live(): Promise<void> {
    const lives = this.desks.flatMap(desk => [
      ...desk.visitors.map(visitor => this.talk(desk, visitor)),
      this.work(desk, desk.owner, desk.visitors),
      this.work(
        desk,
        desk.scoped,
        desk.visitors.filter(({ channel }) => channel === desk.channels[0]),
      ),
      ...this.endings(desk),
    ]);
    await Promise.all(lives);
  }

  /**
   * One visitor of each desk types, until all who should see it do, or until what it typed first has run out.
   * @param bus whether other instances hear of it
   */
  async type(bus: boolean): Promise<void> {
    await Promise.all(
      this.desks.map(async ({ mark, workspaceId, visitors, channels }) => {
        const [, visitor] = visitors;
        const typist = this.listeners.find(({ hearing }) => hearing.name === `the visitor ${mark} ${visitor?.mark}`);
        const stay = typist?.hearing.stays.at(-1);
        if (!visitor || !typist || !stay) return;
        const { conversationId } = visitor;
        const since = now();
        const instance = bus ? null : stay.instance;
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
          if (now() > at + TYPES_EVERY_MS) typist.say({ type: 'typing', conversation_id: conversationId });
          if (now() > at + TYPES_EVERY_MS) at = now();
          if ([...INVARIANTS.I12(this.history)].every(what => !what.includes(conversationId))) return;
        }
      }),
    );
  }

  /** Remembers a request that somebody else made. */
  async note(made: ReturnType<typeof perform>): Promise<void> {
    this.history.operations.push((await made).operation);
  }

  /** The visitor says something once, to one instance; the history has it, whatever comes of it. */
  async sendOnce(desk: FaultyDesk, visitor: Visitor, instance: Instance): Promise<Operation> {
    const { workspaceId } = desk;
    const { conversationId } = visitor;
    const who = `${desk.mark} ${visitor.mark}`;
    const token = this.credentials.get(who)?.token ?? visitor.token;
    const path = `/v1/widget/conversations/${conversationId}/messages`;
    const { ask, draft } = this.saying(path, token, { who, workspaceId, conversationId }, [desk, visitor]);
    const { operation } = await perform(this.http, instance, ask, draft);
    this.history.operations.push(operation);
    return operation;
  }

  /** Whether everybody who listens has heard every event of the reading that it may hear. */
  hasHeard(reading: Reading): boolean {
    const audited = reading.events.map(({ id }) => id);
    const missing = INVARIANTS.I4(this.history, { ...reading, audited });
    return [...missing].every(what => !what.includes('did not hear'));
  }

  /** Notes what should have been heard by now, for the checker to name. */
  miss(what: string): void {
    this.history.overdue.push(what);
  }

  async leave(): Promise<void> {
    await Promise.all(this.listeners.map(listener => listener.close()));
    this.http.hangUp();
  }

  private listenersOf(desk: FaultyDesk): Promise<void>[] {
    const { owner, scoped, leaver, second, workspaceId } = desk;
    const agents = [owner, scoped, leaver, second].map(({ name, token, refreshToken, ears, channelIds }) => ({
      name: `the inbox of ${name}`,
      who: name,
      audience: 'agent' as const,
      ears,
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
      who: `${desk.mark} ${visitor.mark}`,
      audience: 'visitor' as const,
      ears: earsOf(desk, visitor),
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
      this.history.hearings.push(listener.hearing);
    });
  }

  private async talk(desk: FaultyDesk, visitor: Visitor): Promise<void> {
    const random = seeded(this.random() * 2 ** 32);
    const who = `${desk.mark} ${visitor.mark}`;
    const path = `/v1/widget/conversations/${visitor.conversationId}`;
    const draft = { who, workspaceId: desk.workspaceId };
    let last: { ask: Ask; draft: Draft } | null = null;
    for (let step = 0; step < STEPS; step += 1) {
      await this.pause(random);
      const dice = random();
      if (dice < 0.7 || !last) {
        last = this.saying(`${path}/messages`, visitor.token, { ...draft, conversationId: visitor.conversationId }, [
          desk,
          visitor,
        ]);
        await this.insist(last.ask, last.draft, random);
      } else if (dice < 0.82) {
        await this.insist(last.ask, last.draft, random);
      } else if (dice < 0.9) {
        const ask: Ask = { method: 'POST', path: `${path}/read`, token: visitor.token, body: { seq: 1 + step } };
        await this.insist(ask, { ...draft, kind: 'change' }, random);
      } else {
        const heard = { ears: earsOf(desk, visitor), text: '' };
        const ask: Ask = { method: 'GET', path: `${path}/messages?limit=200`, token: visitor.token };
        await this.insist(ask, { ...draft, kind: 'look', heard }, random);
      }
    }
  }

  private async work(desk: FaultyDesk, staff: Staff, visitors: readonly Visitor[]): Promise<void> {
    const random = seeded(this.random() * 2 ** 32);
    const draft = { who: staff.name, workspaceId: desk.workspaceId };
    const own: { path: string; id: string }[] = [];
    for (let step = 0; step < STEPS; step += 1) {
      await this.pause(random);
      const visitor = visitors[Math.floor(random() * visitors.length)] as Visitor;
      const path = `/v1/conversations/${visitor.conversationId}`;
      const { token } = staff;
      const post = (what: string, body: object) =>
        this.insist({ method: 'POST', path: `${path}/${what}`, token, body }, { ...draft, kind: 'change' }, random);
      const dice = random();
      if (dice < 0.6) {
        const kind = dice < 0.38 ? 'said' : 'note';
        const place = { ...draft, conversationId: visitor.conversationId };
        const saying = this.saying(`${path}/messages`, token, place, [desk, visitor], kind);
        const { answer } = await this.insist(saying.ask, saying.draft, random);
        if (answer !== null) own.push({ path: `${path}/messages/${answer}`, id: answer });
      } else if (dice < 0.68) {
        const member = [desk.owner.memberId, desk.scoped.memberId, null][Math.floor(random() * 3)];
        await post('assign', { member_id: visitor.channel === desk.channels[0] ? member : null });
      } else if (dice < 0.74) await post('read', { seq: 1 + step });
      else if (dice < 0.8) await post('resolve', {});
      else if (dice < 0.88 && own.length > 0) {
        const { path: said } = own.pop() as { path: string };
        const [method, body] =
          random() < 0.5 ? (['DELETE', undefined] as const) : (['PATCH', { content: 'x' }] as const);
        const ask: Ask = { method, path: said, token, ...(body ? { body } : {}) };
        await this.insist(ask, { ...draft, kind: 'change' }, random);
      } else if (dice < 0.94) {
        const heard = { ears: staff.ears, text: '' };
        const ask: Ask = { method: 'GET', path: '/v1/conversations?limit=50', token };
        await this.insist(ask, { ...draft, kind: 'look', heard }, random);
      } else await this.trespass(desk, staff, random);
    }
  }

  /** Asks for what is not the caller's: another workspace's conversation, or a channel's outside the scope. */
  private async trespass(desk: FaultyDesk, staff: Staff, random: () => number): Promise<void> {
    const other = this.desks.find(candidate => candidate !== desk) as FaultyDesk;
    const foreign = staff.channelIds && random() < 0.5 ? desk.visitors[2] : other.visitors[0];
    const ask: Ask = { method: 'GET', path: `/v1/conversations/${foreign?.conversationId}`, token: staff.token };
    await this.insist(ask, { kind: 'trespass', who: staff.name, workspaceId: desk.workspaceId }, random);
  }

  /** What is spent, revoked and left in the middle of it all. */
  private endings(desk: FaultyDesk): Promise<void>[] {
    const random = seeded(this.random() * 2 ** 32);
    const { workspaceId, key, mark, leaver, second, shortKey } = desk;
    const backend = { who: `${mark} key`, workspaceId };
    const post = (path: string, body: object, draft: Draft, token?: string, headers?: Record<string, string>) => {
      const ask: Ask = { method: 'POST', path, body, ...(token ? { token } : {}), ...(headers ? { headers } : {}) };
      return this.insist(ask, draft, random);
    };
    const end = (ends: string, kind: Draft['kind'], ask: Ask, since: number) => async () => {
      await this.reaches(since);
      await this.insist(ask, { ...backend, kind, ends }, random);
    };
    const short = `${mark} short key`;
    const tasks: (() => Promise<unknown>)[] = [
      async () => {
        await this.reaches(random());
        const body = { email: desk.scoped.email };
        const issued = await post('/v1/auth/sso/ticket', body, { ...backend, kind: 'use' }, key);
        const url = this.answered.get(issued)?.body?.data?.redirect_url as string | undefined;
        if (url === undefined) return;
        const spend = { ...backend, kind: 'exchange' as const, key: url };
        const ticket = { ticket: url.split('sso_ticket=')[1] };
        await Promise.all([1, 2, 3].map(() => post('/v1/auth/sso/exchange', ticket, spend)));
      },
      async () => {
        await this.reaches(random());
        const email = `invited@${mark}.example.com`;
        const made = await post('/v1/workspace/invites', { email, role: 'agent' }, { ...backend, kind: 'use' }, key);
        const url = this.answered.get(made)?.body?.data?.accept_url as string | undefined;
        if (url === undefined) return;
        const accept = { ...backend, kind: 'accept' as const, key: url };
        const body = { invite_token: url.split('invite=')[1], name: 'Ines', password: PASSWORD };
        await Promise.all([1, 2].map(() => post('/v1/auth/register-user', body, accept)));
      },
      async () => {
        await this.reaches(random());
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
      () => this.keepUsing({ method: 'GET', path: '/v1/workspace', token: shortKey.key }, { ...backend, who: short }),
      () =>
        this.keepUsing({ method: 'GET', path: '/v1/auth/me', token: leaver.token }, { ...backend, who: leaver.name }),
      () =>
        this.keepUsing({ method: 'GET', path: '/v1/auth/me', token: second.token }, { ...backend, who: second.name }),
    ];
    return tasks.map(async task => void (await task()));
  }

  /** On one instance after the other, for as long as the others live and a little more than a second after its end. */
  private async keepUsing(ask: Ask, draft: Omit<Draft, 'kind'>): Promise<void> {
    const ended = () =>
      this.history.operations.find(({ ends, outcome }) => ends === draft.who && outcome !== 'unknown');
    for (let turn = 0; ; turn += 1) {
      const instance = this.instances[turn % this.instances.length] as Instance;
      const { operation } = await perform(this.http, instance, ask, { ...draft, kind: 'use' });
      this.history.operations.push(operation);
      const end = ended();
      if ((end && now() > end.endedAt + 1_300) || this.tired) return;
      await delay(60);
    }
  }

  /** A token that is taken anew, by everybody who uses it, once it has expired. */
  private credential(who: string, token: string, renewal: (token: string) => Ask): Credential {
    let renewing: Promise<boolean> | null = null;
    const credential: Credential = {
      token,
      renew: () => (renewing ??= renew().finally(() => (renewing = null))),
    };
    const renew = async (): Promise<boolean> => {
      for (const { url } of this.instances) {
        const answer = await this.http.ask(url, renewal(credential.token)).catch(() => null);
        const fresh: unknown = answer?.body?.data?.token ?? answer?.body?.data?.visitor_token;
        if (typeof fresh === 'string') credential.token = fresh;
        if (answer && answer.status < 500) return typeof fresh === 'string';
      }
      return true;
    };
    this.credentials.set(who, credential);
    return credential;
  }

  private readonly answered = new Map<Operation, Answer>();

  /** Asks one instance after another until there is an answer that means something. */
  private async insist(ask: Ask, draft: Draft, random: () => number): Promise<Operation> {
    for (let turn = Math.floor(random() * 2); ; turn += 1) {
      const instance = this.instances[turn % this.instances.length] as Instance;
      const credential = this.credentials.get(draft.who);
      const present = credential ? { ...ask, token: credential.token } : ask;
      const { operation, answer } = await perform(this.http, instance, present, draft);
      this.history.operations.push(operation);
      if (answer) this.answered.set(operation, answer);
      const expired = answer?.body?.error?.code === 'token_expired';
      if (expired && credential && (await credential.renew())) continue;
      if (operation.outcome !== 'unknown' || this.tired) {
        this.done += 1;
        return operation;
      }
      await delay(40 + random() * 160);
    }
  }

  private get tired(): boolean {
    return now() > this.began + GIVE_UP_MS;
  }

  private saying(
    path: string,
    token: string,
    draft: Omit<Draft, 'kind'>,
    [desk, visitor]: [FaultyDesk, Visitor],
    kind: 'said' | 'note' = 'said',
  ): { ask: Ask; draft: Draft } {
    this.words += 1;
    const content = `${desk.mark}.${visitor.channel.mark}.${visitor.mark}.${kind}.${this.words}`;
    const body = { content, client_message_id: content, ...(kind === 'note' ? { private: true } : {}) };
    return { ask: { method: 'POST', path, token, body }, draft: { ...draft, kind: 'send', key: content, content } };
  }

  private pause(random: () => number): Promise<void> {
    return delay(10 + random() * 80);
  }

  /** Until this part of everything has been done. */
  async reaches(part: number): Promise<void> {
    while (this.done < part * 0.8 * this.expected && !this.tired) await delay(5);
  }
}

function earsOf(desk: FaultyDesk, visitor: Visitor): Ears {
  return { workspace: desk.mark, channels: [visitor.channel.mark], visitor: visitor.mark, notes: false };
}
