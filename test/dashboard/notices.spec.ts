import { describe, expect, it } from '@jest/globals';
import type { AgentClient, NotificationView } from '@support-chat/sdk';
import { Notices } from '../../clients/dashboard/src/notices/notices.js';
import type { AgentFrame } from '../../clients/dashboard/src/store/frame-log.js';
import { eventually } from '../support/eventually.js';

/** Ids rise with time, as those of the service do. */
function notification(number: number, fields: Partial<NotificationView> = {}): NotificationView {
  return {
    id: `n${String(number).padStart(3, '0')}`,
    type: 'mentioned',
    conversation_id: 'c1',
    message_id: `m${number}`,
    actor: { type: 'member', id: 'ben' },
    read_at: null,
    created_at: '2026-01-01T00:00:00Z',
    ...fields,
  };
}

/** A service with notifications, newest first, in pages of two. */
class Service {
  items: NotificationView[] = [];
  requests = 0;
  isBroken = false;
  /** A request waits for it. */
  gate: Promise<void> = Promise.resolve();

  readonly agent = {
    notifications: {
      list: async ({ cursor }: { cursor?: string } = {}) => {
        this.requests += 1;
        const items = this.items.filter(({ id }) => cursor === undefined || id < cursor);
        const page = items.slice(0, 2);
        const unread = this.unread;
        await this.gate;
        if (this.isBroken) throw new Error('not reachable');
        return {
          items: page,
          next_cursor: items.length > 2 ? (page.at(-1)?.id ?? null) : null,
          unread_count: unread,
        };
      },
      read: async ({ ids, all }: { ids?: string[]; all?: boolean }) => {
        if (this.isBroken) throw new Error('not reachable');
        this.items = this.items.map(each => (all || ids?.includes(each.id) ? { ...each, read_at: 'now' } : each));
        return { unread_count: this.unread };
      },
    },
  } as unknown as AgentClient;

  private get unread(): number {
    return this.items.filter(({ read_at }) => read_at === null).length;
  }
}

const created = (item: NotificationView) =>
  ({ type: 'notification.created', data: { notification: item } }) as AgentFrame;
const frame = (type: string, data: object = {}) => ({ type, data }) as AgentFrame;
const numbers = (notices: Notices) => notices.items.peek().map(({ id }) => Number(id.slice(1)));

async function play(items: NotificationView[] = []) {
  const service = new Service();
  service.items = items;
  const notices = new Notices(service.agent);
  notices.requireRead(0);
  await eventually(async () => notices.isRead.peek() || undefined);
  return { service, notices };
}

describe('The notifications of the dashboard', () => {
  it('Notifications are read page by page, and a new one stands first and counts at once.', async () => {
    const { notices } = await play([notification(4), notification(3), notification(2), notification(1)]);
    expect([numbers(notices), notices.unreadCount.peek(), notices.hasMore]).toEqual([[4, 3], 4, true]);
    await notices.readMore();
    expect([numbers(notices), notices.hasMore]).toEqual([[4, 3, 2, 1], false]);
    notices.receive(created(notification(5)));
    notices.receive(created(notification(5)));
    expect([numbers(notices), notices.unreadCount.peek()]).toEqual([[5, 4, 3, 2, 1], 5]);
    notices.close();
  });

  it('A notification that arrives while the list is read is kept.', async () => {
    const { service, notices } = await play([notification(1)]);
    let open = () => {};
    service.gate = new Promise(resolve => (open = resolve));
    notices.requireRead(0);
    await eventually(async () => service.requests === 2 || undefined);
    notices.receive(created(notification(2)));
    open();
    await eventually(async () => notices.error.peek() === undefined || undefined);
    await new Promise(resolve => setTimeout(resolve, 5));
    expect([numbers(notices), notices.unreadCount.peek()]).toEqual([[2, 1], 2]);
    notices.close();
  });

  it('A notification that another tab has read is read here, and one whose note was unsent vanishes.', async () => {
    const { service, notices } = await play([notification(2), notification(1)]);
    service.items = [notification(2, { read_at: 'now' })];
    notices.receive(frame('notification.read', { ids: ['n001', 'n002'] }));
    expect(notices.unreadCount.peek()).toBe(0);
    await eventually(async () => numbers(notices).join() === '2' || undefined);
    notices.close();
  });

  it('A member who looks at a conversation has read the notifications about it, and no others.', async () => {
    const { service, notices } = await play([notification(2, { conversation_id: 'c2' }), notification(1)]);
    expect(notices.unreadConversationIds.value).toEqual(['c2', 'c1']);
    notices.readOf('c1');
    expect(notices.unreadConversationIds.value).toEqual(['c2']);
    await eventually(async () => service.items.at(-1)?.read_at !== null || undefined);
    expect(service.items[0]?.read_at).toBeNull();
    notices.close();
  });

  it('All notifications are read by one action, and its failure is thrown.', async () => {
    const { service, notices } = await play([notification(3), notification(2), notification(1)]);
    await notices.readAll();
    expect([notices.unreadCount.peek(), notices.unreadConversationIds.value]).toEqual([0, []]);
    service.isBroken = true;
    notices.receive(created(notification(4)));
    await expect(notices.readAll()).rejects.toThrow('not reachable');
    notices.close();
  });

  it('Notifications of an erased contact vanish, those of its conversations and its replies.', async () => {
    const reply = notification(3, { type: 'replied', conversation_id: 'c2', actor: { type: 'contact', id: 'vera' } });
    const { notices } = await play([reply, notification(2, { conversation_id: 'c1' })]);
    notices.receive(frame('contact.deleted', { id: 'vera' }));
    expect([numbers(notices), notices.unreadCount.peek()]).toEqual([[2], 1]);
    notices.forget('c1');
    expect([numbers(notices), notices.unreadCount.peek()]).toEqual([[], 0]);
    notices.close();
  });

  it('A session that sees less than before keeps none of the notifications that it may not see.', async () => {
    const { service, notices } = await play([notification(4), notification(3), notification(2), notification(1)]);
    await notices.readMore();
    service.items = [notification(3), notification(2), notification(1)];
    notices.receive(frame('sync.required', { reason: 'scope' }));
    await eventually(async () => numbers(notices).join() === '3,2' || undefined);
    expect(notices.hasMore).toBe(true);
    notices.close();
  });
});
