import { expect } from '@jest/globals';
import type { ConversationView } from '@support-chat/sdk';
import type { ConversationList } from '../../clients/dashboard/src/store/conversation-list.js';
import type { EventFrame } from '../../clients/dashboard/src/store/frame-log.js';
import { Store } from '../../clients/dashboard/src/store/store.js';
import type { ListFilter } from '../../clients/dashboard/src/store/view-filter.js';
import { seeded } from '../support/seeded.js';
import { PlayService, type Fields, type PlayList } from './play-service.js';

const ME = 'm1';
const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const;
const TAGS = ['vip', 'bug', 'late'];
const NAMES = ['Ann', 'Bert', 'Annika', 'Carl'];
const PAGE_SIZE = 3;
const MESSAGES_PAGE_SIZE = 4;

const byActivity = ({ last_activity_at: at, id }: ConversationView) => `${at} ${id}`;
const byPriority = (view: ConversationView) => `${PRIORITIES.indexOf(view.priority)} ${byActivity(view)}`;
const byWaiting = ({ waiting_since: since, id }: ConversationView) => `${since} ${id}`;
const latest = { keyOf: byActivity, descending: true };

const LISTS: [ListFilter, PlayList][] = [
  [{ status: 'open' }, { ...latest, matches: ({ status }) => status === 'open' }],
  [{ assignee: ['me'] }, { ...latest, matches: ({ assignee_id: id }) => id === ME }],
  [
    { assignee: ['none', 'm2'], status: ['open', 'pending'], order: 'asc' },
    {
      keyOf: byActivity,
      descending: false,
      matches: ({ assignee_id: id, status }) => id !== ME && (status === 'open' || status === 'pending'),
    },
  ],
  [
    { sort: 'waiting' },
    {
      keyOf: byWaiting,
      descending: false,
      matches: ({ waiting_since: since, status }) => since !== null && status !== 'resolved',
    },
  ],
  [{ sort: 'created' }, { keyOf: ({ id }) => id, descending: true, matches: () => true }],
  [
    { sort: 'priority', channel_id: 'ch1' },
    { keyOf: byPriority, descending: true, matches: ({ channel_id: id }) => id === 'ch1' },
  ],
  [{ tag: 'VIP,bug' }, { ...latest, matches: ({ tags }) => tags.includes('vip') || tags.includes('bug') }],
  [{ unread: true }, { ...latest, matches: ({ unread }) => unread.agents > 0 }],
  [
    { query: 'ann', sort: 'created', order: 'asc' },
    { keyOf: ({ id }) => id, descending: false, matches: ({ contact }) => contact.name!.startsWith('Ann') },
  ],
];

/** Is served when it is called. @returns delivers its response */
type Request = () => () => void;

/**
 * A random history of a workspace with one dashboard. Frames and responses are delayed; frames repeat and lose their order
 * as across a resume, or are lost and followed by `sync.required` or a reload. In the end the store must show what the service has.
 */
export class StorePlay {
  private readonly service = new PlayService();
  private store = new Store(ME);
  private readonly random: () => number;
  /** Number of frames of the service that were put into `queue`. */
  private sent = 0;
  private queue: EventFrame[] = [];
  private delivered: EventFrame[] = [];
  private requests: Request[] = [];
  private responses: (() => void)[] = [];
  private readonly underWay = new Set<unknown>();
  private lists: [ConversationList, PlayList][] = [];
  private openId: string | undefined;
  private nextMessage = 1;
  private readonly failed = new Map<string, string>();
  private tagCount = 0;
  private hasLost = false;

  constructor(private readonly seed: number) {
    this.random = seeded(seed);
  }

  run(steps: number): void {
    for (let count = 3 + this.upTo(8); count > 0; count -= 1) this.createConversation();
    for (let count = this.upTo(30); count > 0; count -= 1) this.act();
    this.sent = this.service.frames.length;
    for (let count = 0; count < steps; count += 1) this.step();
    this.finish();
    this.compare();
  }

  private step(): void {
    this.service.pass(this.upTo(3));
    this.pick([
      () => this.act(),
      () => this.act(),
      () => this.act(),
      () => this.deliver(1 + this.upTo(4)),
      () => this.deliver(1 + this.upTo(4)),
      () => this.deliver(this.queue.length),
      () => this.serve(),
      () => this.serve(),
      () => this.respond(),
      () => this.respond(),
      () => this.work(),
      () => this.work(),
      () => this.memberActs(),
      () => this.memberActs(),
      () => this.look(),
      () => (this.chance(0.2) ? this.resume() : undefined),
      () => (this.chance(0.1) ? this.lose() : undefined),
      () => (this.chance(0.1) ? this.reload() : undefined),
    ])();
    this.receive();
  }

  // The workspace

  private act(): void {
    const id = this.anyConversation();
    if (id === undefined) return this.createConversation();
    const { service } = this;
    service.pass(this.upTo(3) * 500);
    this.pick([
      () => service.contactWrites(id, this.text()),
      () => service.contactWrites(id, this.text()),
      () => service.agentWrites(id, this.pick([ME, 'm2']), this.text()),
      () => service.botWrites(id, this.text(), this.chance(0.5)),
      () => service.agentNotes(id, 'm2', this.text()),
      () => service.edit(id, this.anySeq(id), this.text()),
      () => service.unsend(id, this.anySeq(id)),
      () => service.readBy(id, this.pick(['agents', 'contact']), this.anySeq(id)),
      () => service.assign(id, this.pick([ME, 'm2', null])),
      () => service.resolve(id),
      () => service.reopen(id),
      () => service.snooze(id),
      () => service.update(id, this.anyChange()),
      () => this.changeContact(id),
      () => (this.chance(0.5) ? this.createConversation() : undefined),
    ])();
  }

  private changeContact(id: string): void {
    const { contact_id: contactId } = this.service.conversations.get(id)!;
    const kind = this.random();
    if (kind < 0.6) this.service.updateContact(contactId, this.pick(NAMES));
    else if (kind < 0.75) this.service.erase(contactId);
    else if (kind < 0.9) this.mergeContact(contactId);
    else this.service.renameTag(this.pick(TAGS), `tag ${this.seed} ${(this.tagCount += 1)}`);
  }

  private mergeContact(contactId: string): void {
    const other = this.anyConversation()!;
    const { contact_id: intoId } = this.service.conversations.get(other)!;
    if (intoId !== contactId) this.service.merge(contactId, intoId);
  }

  private createConversation(): void {
    const byContact = this.chance(0.8);
    const id = this.service.create(this.pick(NAMES), this.pick(['ch1', 'ch2']), byContact);
    if (this.chance(0.2)) this.service.update(id, { status: 'pending', control: 'bot' });
    if (byContact) this.service.contactWrites(id, this.text());
  }

  private anyChange(): Partial<Fields> {
    const tags = TAGS.filter(() => this.chance(0.4));
    return this.chance(0.5) ? { tags } : { priority: this.pick(PRIORITIES) };
  }

  // The network

  private receive(): void {
    this.queue.push(...structuredClone(this.service.frames.slice(this.sent)));
    this.sent = this.service.frames.length;
  }

  private deliver(count: number): void {
    const frames = this.queue.splice(0, count);
    this.delivered.push(...frames);
    this.store.apply(...frames);
  }

  private serve(): void {
    const [request] = this.requests.splice(this.upTo(this.requests.length), 1);
    if (request) this.responses.push(request());
  }

  private respond(): void {
    const [response] = this.responses.splice(this.upTo(this.responses.length), 1);
    response?.();
  }

  /** Some frames come again, and the order of those that are missing is lost. */
  private resume(): void {
    const repeated = structuredClone(this.delivered.slice(-this.upTo(6) - 1));
    this.queue = this.shuffle([...this.queue, ...repeated]);
  }

  private lose(): void {
    this.queue = [];
    this.hasLost = true;
    const reason = this.chance(0.3) ? 'epoch' : 'too_many';
    this.store.apply({ type: 'sync.required', data: { reason } });
  }

  /** The page is loaded again. It begins with a snapshot, of which it does not receive the frames since. */
  private reload(): void {
    const list = this.chance(0.8) ? this.lists.at(-1)?.[0] : undefined;
    const snapshot = structuredClone(this.store.snapshot(list));
    this.store = new Store(ME);
    this.store.restore(snapshot);
    this.sent = this.service.frames.length;
    [this.queue, this.delivered, this.requests, this.responses] = [[], [], [], []];
    this.underWay.clear();
    this.hasLost = true;
    this.lists = this.lists.map(([{ query }, playList]) => [this.store.list(query), playList]);
    if (this.openId !== undefined) this.openThread(this.openId);
  }

  // The desk

  private work(): void {
    for (const id of this.store.needs.conversations.peek()) {
      this.ask(id, mark => {
        const view = this.service.get(id);
        return () => (view ? this.store.applyConversations([view], mark) : this.store.remove(id));
      });
    }
    for (const [id, range] of this.store.needs.threads.peek()) {
      this.ask(range, mark => {
        const page = this.service.read(id, { ...range, limit: MESSAGES_PAGE_SIZE });
        return () => (page ? this.store.applyMessages(id, page, range, mark) : this.store.remove(id));
      });
    }
    for (const list of this.store.needs.lists.peek()) this.readPage(list);
  }

  private readPage(list: ConversationList): void {
    const playList = this.lists.find(([open]) => open === list)![1];
    const cursor = list.next;
    if (cursor === null) return;
    this.ask(list, mark => {
      const page = this.service.list(playList, cursor, PAGE_SIZE);
      return () => this.store.applyList(list, page, { cursor, mark });
    });
  }

  private ask(key: unknown, serve: (mark: number) => () => void): void {
    if (this.underWay.has(key)) return;
    this.underWay.add(key);
    const mark = this.store.mark();
    this.requests.push(() => {
      const respond = serve(mark);
      return () => {
        this.underWay.delete(key);
        respond();
      };
    });
  }

  private look(): void {
    const [query, playList] = this.pick(LISTS);
    const list = this.store.list(query);
    if (!this.lists.some(([open]) => open === list)) this.lists.push([list, playList]);
    else if (list.hasMore.peek() && !list.isNeeded) this.readPage(list);
    if (this.chance(0.5)) this.openThread(this.pick([...this.service.conversations.keys()]));
    if (this.openId !== undefined && this.store.thread(this.openId).hasOlder.peek()) this.readOlder(this.openId);
  }

  private readOlder(id: string): void {
    const range = this.store.thread(id).olderRange();
    this.ask(`older ${id}`, mark => {
      const page = this.service.read(id, { ...range, limit: MESSAGES_PAGE_SIZE });
      return () => (page ? this.store.applyMessages(id, page, range, mark) : undefined);
    });
  }

  private openThread(id: string): void {
    this.openId = id;
    this.store.watch(id);
    this.store.thread(id);
  }

  // The member

  private memberActs(): void {
    const id = this.anyConversation();
    if (id === undefined || !this.store.conversation(id).peek()) return;
    if (this.chance(0.5)) return this.send(id);
    const changes: [Partial<Fields>, () => void][] = [
      [{ status: 'resolved', waiting_since: null }, () => this.service.resolve(id)],
      [{ assignee_id: ME }, () => this.service.assign(id, ME)],
      [{ priority: 'urgent' }, () => this.service.update(id, { priority: 'urgent' })],
    ];
    const [fields, perform] = this.pick(changes);
    const overlay = this.store.overlay(id, fields);
    const mark = this.store.mark();
    this.requests.push(() => {
      if (this.chance(0.2) || !this.service.get(id)) return () => overlay.undo();
      perform();
      const view = this.service.get(id)!;
      return () => {
        this.store.applyConversations([view], mark);
        overlay.settle(view.version);
      };
    });
  }

  /** Some requests fail before they are served, others lose their response. */
  private send(id: string): void {
    const clientId = `${this.seed}-${(this.nextMessage += 1)}`;
    const content = this.text();
    const isPrivate = this.chance(0.3);
    const body = { client_message_id: clientId, content, private: isPrivate };
    const message = { conversationId: id, body, attachments: [], createdAt: this.service.now };
    this.store.pending.put(message);
    const fail = (error: string) => {
      if (
        this.store.pending
          .of(id)
          .peek()
          ?.some(({ body: waiting }) => waiting.client_message_id === clientId)
      ) {
        this.store.pending.put({ ...message, error });
      }
    };
    this.requests.push(() => {
      if (!this.service.get(id)) return () => this.store.pending.remove(id, clientId);
      this.failed.set(clientId, id);
      if (this.chance(0.2)) return () => fail('offline');
      const send = isPrivate ? this.service.agentNotes.bind(this.service) : this.service.agentWrites.bind(this.service);
      const stored = structuredClone(send(id, ME, content, clientId));
      const isLost = this.chance(0.2);
      if (!isLost) this.failed.delete(clientId);
      return () => (isLost ? fail('lost') : this.store.applyMessage(stored));
    });
  }

  // The end

  /** Everything arrives; then the needs are worked off. */
  private finish(): void {
    for (let round = 0; round < 300; round += 1) {
      this.receive();
      this.deliver(this.queue.length);
      while (this.requests.length > 0) this.serve();
      this.receive();
      if (this.chance(0.5)) this.deliver(this.queue.length);
      while (this.responses.length > 0) this.respond();
      this.deliver(this.queue.length);
      this.work();
      if (this.requests.length === 0) return;
    }
    throw new Error('the needs of the store never end');
  }

  private compare(): void {
    for (const [list, playList] of this.lists) {
      const expected = this.service.listAll(playList).map(({ id }) => id);
      expect(list.isRead.peek()).toBe(true);
      expect({ filter: list.query, ids: list.ids.peek() }).toEqual({
        filter: list.query,
        ids: list.hasMore.peek() ? expected.slice(0, list.ids.peek().length) : expected,
      });
      for (const id of list.ids.peek()) expect(this.store.conversation(id).peek()).toEqual(this.service.get(id));
      this.compareWhole(list, expected);
    }
    if (this.openId !== undefined) this.compareThread(this.openId);
    for (const id of this.service.conversations.keys()) this.comparePending(id);
    for (const id of this.service.erasedIds) {
      expect(this.store.conversation(id).peek()).toBeUndefined();
      expect(this.store.thread(id).messages.peek()).toEqual([]);
    }
  }

  private compareWhole(list: ConversationList, expected: string[]): void {
    for (let page = 0; list.hasMore.peek() && page < 100; page += 1) {
      this.readPage(list);
      this.finish();
    }
    expect({ filter: list.query, all: list.ids.peek() }).toEqual({ filter: list.query, all: expected });
  }

  private compareThread(id: string): void {
    const isErased = this.service.erasedIds.has(id);
    for (let page = 0; this.store.thread(id).hasOlder.peek() && page < 100; page += 1) {
      this.readOlder(id);
      this.finish();
    }
    expect(this.store.thread(id).messages.peek()).toEqual(isErased ? [] : this.service.allMessages(id));
    expect(this.store.conversation(id).peek()).toEqual(this.service.get(id));
  }

  /** Only failed messages wait. Where `sync.required` hid a frame, one of them may be stored, or its contact erased. */
  private comparePending(id: string): void {
    const pending = this.store.pending.of(id).peek() ?? [];
    expect(pending.filter(({ error }) => error === undefined)).toEqual([]);
    const waiting = pending.map(({ body }) => body.client_message_id);
    const known = [...this.failed].filter(([, conversationId]) => conversationId === id).map(([clientId]) => clientId);
    expect(known).toEqual(expect.arrayContaining(waiting));
    if (this.hasLost) return;
    const stored = this.service.allMessages(id).map(message => message.client_message_id ?? '');
    const expected = this.service.erasedIds.has(id) ? [] : known.filter(clientId => !stored.includes(clientId));
    expect(waiting.sort()).toEqual(expected.sort());
  }

  // Chance

  private anyConversation(): string | undefined {
    const ids = [...this.service.conversations.keys()].filter(id => !this.service.erasedIds.has(id));
    return ids.length === 0 ? undefined : this.pick(ids);
  }

  private anySeq(id: string): number {
    return Math.max(1, this.service.conversations.get(id)!.last_seq - this.upTo(4));
  }

  private text(): string {
    return `text ${this.upTo(1e6)}`;
  }

  private chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** A whole number below `limit`. */
  private upTo(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  private pick<T>(choices: readonly T[]): T {
    return choices[this.upTo(choices.length)]!;
  }

  private shuffle<T>(values: T[]): T[] {
    return values
      .map(value => ({ value, at: this.random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ value }) => value);
  }
}
