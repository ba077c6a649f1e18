import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  SharedLive,
  VisitorClient,
  type Channel,
  type StoredVisitorSession,
  type Tab,
  type TabEvents,
  type VisitorFrames,
  type VisitorSocket,
} from '../../clients/sdk/src/index.js';
import { eventually } from '../support/eventually.js';
import { World, type Desk } from '../support/world.js';
import { FakeLocks } from './fake-locks.js';

const FIRST = 'Hello?';
let world: World;
let desk: Desk;
let locks: FakeLocks;
let session: StoredVisitorSession;
let conversationId: string;
let tabs: ServiceTab[];

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
  locks = new FakeLocks();
  tabs = [];
  const visitor = await VisitorClient.start(options());
  session = visitor.storedSession;
  conversationId = (await visitor.startConversation(FIRST)).conversation.id;
});
afterEach(() => {
  for (const tab of tabs) tab.end();
});

const options = () => ({ baseUrl: world.app.url, widgetToken: desk.widgetToken });

/** A tab of a visitor's browser, with real sockets to the real service. */
class ServiceTab implements Tab {
  readonly locks = locks.ofTab(this);
  readonly BroadcastChannel: new (name: string) => Channel;
  /** Contents of the agent's messages that arrived as frames. */
  readonly messages: string[] = [];
  readonly live: SharedLive<VisitorFrames>;
  private readonly client = VisitorClient.restore(session, options());
  private readonly channels: InstanceType<typeof BroadcastChannel>[] = [];
  private readonly sockets: VisitorSocket[] = [];
  private events: TabEvents | undefined;
  private visible = true;

  constructor() {
    const { channels } = this;
    this.BroadcastChannel = class extends BroadcastChannel {
      constructor(name: string) {
        super(name);
        channels.push(this);
      }
    } as unknown as new (name: string) => Channel;
    const createSocket = (more: object) => {
      const socket = this.client.live(more);
      this.sockets.push(socket);
      return socket;
    };
    this.live = new SharedLive<VisitorFrames>(`live:${session.contactId}`, createSocket, { tab: this });
    // A socket that resumes may also receive an event of the moment before its first connection.
    this.live.on('message.created', ({ data: { message } }) => {
      if (message.content !== FIRST) this.messages.push(message.content!);
    });
    this.live.open().catch(() => undefined);
    tabs.push(this);
  }

  get hasSocket(): boolean {
    return this.sockets.some(({ state }) => state !== 'closed');
  }

  isVisible(): boolean {
    return this.visible;
  }

  watch(events: TabEvents): () => void {
    this.events = events;
    return () => (this.events = undefined);
  }

  setVisible(isVisible: boolean): void {
    this.visible = isVisible;
    this.events?.changed();
  }

  /** Ends as a killed process does: the browser closes its channel and its socket, and releases its locks. */
  end(): void {
    for (const channel of this.channels) {
      channel.postMessage = () => undefined;
      channel.close();
    }
    for (const socket of this.sockets) socket.close();
    locks.endTab(this);
  }
}

async function openTabs(count: number): Promise<ServiceTab[]> {
  const opened = Array.from({ length: count }, () => new ServiceTab());
  await Promise.all(opened.map(({ live }) => live.open()));
  return opened;
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_nothing, index) => `${from + index}`);

/** The agent sends numbered messages, one after the other. */
async function send(from: number, to: number): Promise<void> {
  for (const content of numbers(from, to)) {
    const { status } = await desk.owner.api.post(`/v1/conversations/${conversationId}/messages`, { content });
    expect(status).toBe(201);
  }
}

async function expectAll(living: ServiceTab[], to: number): Promise<void> {
  for (const { messages } of living) {
    await eventually(
      () => (messages.includes(`${to}`) ? true : undefined),
      30_000,
      () => messages,
    );
    expect(messages).toEqual(numbers(1, to));
  }
  const withSocket = () => living.filter(({ hasSocket }) => hasSocket).length;
  await eventually(() => (withSocket() === 1 ? true : undefined), 30_000, withSocket);
}

const leaderOf = (living: ServiceTab[]) => eventually(() => living.find(({ live }) => live.isLeader), 30_000);

describe('Tabs that share a socket to the real service', () => {
  it('Each tab receives each message once and in order by one socket while the tabs that lead end one by one', async () => {
    let living = await openTabs(4);
    await send(1, 5);
    await expectAll(living, 5);
    for (const round of [1, 2, 3]) {
      const leader = await leaderOf(living);
      const sending = send(5 * round + 1, 5 * round + 5);
      leader.end();
      await sending;
      living = living.filter(tab => tab !== leader);
      await expectAll(living, 5 * round + 5);
    }
  });

  it('Each tab receives each message once and in order while the visitor changes from tab to tab', async () => {
    const living = await openTabs(3);
    for (const [round, shown] of living.entries()) {
      const sending = send(5 * round + 1, 5 * round + 5);
      for (const tab of living) tab.setVisible(tab === shown);
      await sending;
      await expectAll(living, 5 * round + 5);
      await eventually(() => (shown.live.isLeader ? true : undefined), 30_000);
    }
  });
});
