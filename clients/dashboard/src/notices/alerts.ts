import type { NotificationView } from '@support-chat/sdk';
import type { Desk } from '../desk/desk.js';
import { preferences } from '../preferences.js';
import { isUnread } from './notices.js';

/** A tab that shows the conversation marks the notification as read within this time. */
const SETTLE_MS = 1_000;

/** In localStorage: ids of the notifications that were announced last. */
const ANNOUNCED = 'support-chat:announced';
const MAX_ANNOUNCED = 20;

/**
 * Announces new notifications outside the page, by the browser and by a sound, as far as the person has chosen it. One
 * tab of the browser does it, and none for a conversation that is on the screen of any tab.
 */
export class Alerts {
  private readonly timers = new Set<ReturnType<typeof setTimeout>>();

  /** @param open shows what a notification is about, in this tab */
  constructor(
    private readonly desk: Pick<Desk, 'live' | 'notices' | 'reader' | 'store' | 'directory'>,
    private readonly open: (notification: NotificationView) => void,
  ) {}

  /** @returns the end of it */
  start(): () => void {
    const stop = this.desk.notices.listen(({ id }) => {
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        this.announce(id).catch(() => undefined);
      }, SETTLE_MS);
      this.timers.add(timer);
    });
    return () => {
      stop();
      for (const timer of this.timers) clearTimeout(timer);
    };
  }

  private async announce(id: string): Promise<void> {
    const { notices, live } = this.desk;
    const notification = notices.find(id);
    const { sound, browserNotices } = preferences();
    if (!notification || !isUnread(notification) || !live.isLeader || !(sound || browserNotices)) return;
    if (!claim(id)) return;
    const { playSound, showInBrowser } = await import('./announce.js');
    if (sound) playSound();
    if (browserNotices) await showInBrowser(notification, this.desk, () => this.open(notification));
  }
}

/** @returns false if a tab has announced it, such as one that had the socket until a moment ago */
function claim(id: string): boolean {
  try {
    const announced = (localStorage.getItem(ANNOUNCED) ?? '').split(' ');
    if (announced.includes(id)) return false;
    localStorage.setItem(ANNOUNCED, [...announced, id].slice(-MAX_ANNOUNCED).join(' ').trim());
  } catch {
    // without storage each tab knows only itself
  }
  return true;
}
