import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import {
  items,
  type AgentClient,
  type BotView,
  type ChannelView,
  type MemberView,
  type ViewView,
} from '@support-chat/sdk';
import type { DirectorySnapshot } from '../snapshot/snapshot-storage.js';
import type { AgentFrame } from '../store/frame-log.js';

type ById<T> = ReadonlyMap<string, T>;

interface Dated {
  id: string;
  updated_at: string;
}

/** Members, channels, bots and saved views, to which conversations refer. Frames keep them current. */
export class Directory {
  private readonly memberMap = signal<ById<MemberView>>(new Map());
  private readonly channelMap = signal<ById<ChannelView>>(new Map());
  private readonly botMap = signal<ById<BotView>>(new Map());
  private readonly viewMap = signal<ById<ViewView>>(new Map());

  /** Own views and shared ones, in the order of the service. */
  readonly views: ReadonlySignal<readonly ViewView[]> = computed(() =>
    [...this.viewMap.value.values()].sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1)),
  );

  /** Members that can be assigned and mentioned, by name. */
  readonly activeMembers: ReadonlySignal<readonly MemberView[]> = computed(() =>
    [...this.memberMap.value.values()]
      .filter(({ status }) => status === 'active')
      .sort((a, b) => a.name.localeCompare(b.name)),
  );

  private readonly isLoadedSignal = signal(false);

  constructor(private readonly agent: AgentClient) {}

  /** False until everything was read. */
  get isLoaded(): ReadonlySignal<boolean> {
    return this.isLoadedSignal;
  }

  get members(): ReadonlySignal<ById<MemberView>> {
    return this.memberMap;
  }

  get channels(): ReadonlySignal<ById<ChannelView>> {
    return this.channelMap;
  }

  get bots(): ReadonlySignal<ById<BotView>> {
    return this.botMap;
  }

  /** Name of a member or a bot. */
  nameOf(id: string): string | undefined {
    return this.memberMap.value.get(id)?.name ?? this.botMap.value.get(id)?.name;
  }

  /** All that is known, for the next start of the dashboard. */
  snapshot(): DirectorySnapshot {
    const listed = <T>(map: ReadonlySignal<ById<T>>) => [...map.peek().values()];
    return {
      members: listed(this.memberMap),
      channels: listed(this.channelMap),
      bots: listed(this.botMap),
      views: listed(this.viewMap),
    };
  }

  /** Shows a snapshot until everything was read. */
  restore({ members, channels, bots, views }: DirectorySnapshot): void {
    this.memberMap.value = byId(members);
    this.channelMap.value = byId(channels);
    this.botMap.value = byId(bots);
    this.viewMap.value = byId(views);
  }

  /** Reads everything again. @throws ApiError */
  async load(): Promise<void> {
    const { members, channels, bots } = this.agent;
    await Promise.all([
      fill(
        this.memberMap,
        items(next => members.list({ limit: 200, ...next })),
      ),
      fill(
        this.channelMap,
        items(next => channels.list({ limit: 200, ...next })),
      ),
      fill(
        this.botMap,
        items(next => bots.list({ limit: 200, ...next })),
      ),
      this.loadViews(),
    ]);
    this.isLoadedSignal.value = true;
  }

  /** @throws ApiError */
  async loadViews(): Promise<void> {
    await fill(
      this.viewMap,
      items(next => this.agent.views.list({ limit: 200, ...next })),
    );
  }

  receive(frame: AgentFrame): void {
    switch (frame.type) {
      case 'member.created':
      case 'member.updated':
        return put(this.memberMap, frame.data);
      case 'channel.created':
      case 'channel.updated':
        return put(this.channelMap, frame.data);
      case 'channel.deleted':
        return remove(this.channelMap, frame.data.id);
      case 'bot.created':
      case 'bot.updated':
        return put(this.botMap, frame.data);
      case 'view.created':
      case 'view.updated':
        // the frame has no filters
        void this.loadViews().catch(() => undefined);
        return;
      case 'view.deleted':
        return remove(this.viewMap, frame.data.id);
      default:
    }
  }
}

function byId<T extends Dated>(items: readonly T[]): ById<T> {
  return new Map(items.map(item => [item.id, item]));
}

/** Replaces the map by a complete list; what a frame has brought meanwhile stays if it is newer. */
async function fill<T extends Dated>(target: Signal<ById<T>>, list: AsyncIterable<T>): Promise<void> {
  const before = target.peek();
  const loaded = new Map<string, T>();
  for await (const item of list) loaded.set(item.id, item);
  for (const [id, item] of target.peek()) {
    const known = loaded.get(id);
    const isFresh = before.get(id) !== item;
    if (isFresh && (!known || known.updated_at < item.updated_at)) loaded.set(id, item);
  }
  for (const id of before.keys()) if (!target.peek().has(id)) loaded.delete(id);
  target.value = loaded;
}

function put<T extends Dated>(target: Signal<ById<T>>, item: T): void {
  const known = target.peek().get(item.id);
  if (known && known.updated_at > item.updated_at) return;
  target.value = new Map(target.peek()).set(item.id, item);
}

function remove<T>(target: Signal<ById<T>>, id: string): void {
  const left = new Map(target.peek());
  if (left.delete(id)) target.value = left;
}
