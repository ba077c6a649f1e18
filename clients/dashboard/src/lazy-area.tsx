import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from './parts/button.js';
import { Skeleton } from './parts/skeleton.js';
import { t } from './texts/index.js';

/** In sessionStorage: the time of the last reload because of a file that was missing. */
const RELOADED_AT = 'support-chat:reloaded-at';
const RELOAD_EVERY_MS = 60_000;

export type AreaLoader = () => Promise<{ default: ComponentType }>;

/**
 * An area of the dashboard whose script is loaded when it is opened. After a deployment the files of an open page can be
 * gone: the page is reloaded once, without a question, because drafts are stored.
 * @param onShown called once the area is on the screen
 */
export function LazyArea({ load, onShown }: { load: AreaLoader; onShown?: () => void }) {
  const [area, setArea] = useState<{ Area?: ComponentType; hasFailed?: boolean }>({});
  const open = () => {
    setArea({});
    load().then(
      ({ default: Area }) => setArea({ Area }),
      () => {
        if (!reloadOnce()) setArea({ hasFailed: true });
      },
    );
  };
  useEffect(open, [load]);
  const { Area, hasFailed } = area;
  useEffect(() => {
    if (Area || hasFailed) onShown?.();
  }, [Area, hasFailed, onShown]);
  if (Area) return <Area />;
  if (!hasFailed) return <Skeleton />;
  return (
    <div class="nothing" role="alert">
      <p>{t('areaFailed')}</p>
      <Button look="quiet" onClick={open}>
        {t('retry')}
      </Button>
    </div>
  );
}

/** @returns false if the page was reloaded a moment ago already, or has no network to be reloaded by */
function reloadOnce(): boolean {
  const now = Date.now();
  try {
    if (!navigator.onLine || now - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_EVERY_MS) return false;
    sessionStorage.setItem(RELOADED_AT, String(now));
  } catch {
    return false;
  }
  location.reload();
  return true;
}
