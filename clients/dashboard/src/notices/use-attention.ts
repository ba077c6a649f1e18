import { useEffect } from 'preact/hooks';
import { t } from '../texts/index.js';
import icon from './icon.svg';
import iconUnread from './icon-unread.svg';

/**
 * Shows the number of conversations that want the member in the title, as a dot of the tab's icon, and on the icon of an
 * installed dashboard. All are plain again when the member signs out.
 */
export function useAttention(workspace: string, count: number): void {
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${workspace} · ${t('product')}`;
  }, [workspace, count]);
  const isUnread = count > 0;
  useEffect(() => setIcon(isUnread ? iconUnread : icon), [isUnread]);
  useEffect(() => setBadge(count), [count]);
  useEffect(
    () => () => {
      document.title = t('product');
      setIcon(icon);
      setBadge(0);
    },
    [],
  );
}

function setIcon(url: string): void {
  document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.setAttribute('href', url);
}

/** Browsers without installed pages have no badge, or refuse it. */
function setBadge(count: number): void {
  const { setAppBadge } = navigator as Partial<Pick<Navigator, 'setAppBadge'>>;
  setAppBadge?.call(navigator, count).catch(() => undefined);
}
