import type { ComponentChildren } from 'preact';
import { describeError } from '../forms/describe-error.js';
import { t } from '../texts/index.js';
import { Banner } from './banner.js';
import { Button } from './button.js';
import { Skeleton } from './skeleton.js';
import type { Pages } from './use-pages.js';

export interface PageListProps<Item> {
  pages: Pages<Item>;
  /** Name of the list. */
  label: string;
  empty: ComponentChildren;
  children: (item: Item, index: number) => ComponentChildren;
}

/** Shows a list with everything around it: waiting, failure, emptiness, and a button for more. */
export function PageList<Item>({ pages, label, empty, children }: PageListProps<Item>) {
  const { items, error, isLoading, hasMore, loadMore, reload } = pages;
  return (
    <>
      {error !== undefined && <LoadFailure error={error} onRetry={() => void reload()} />}
      {!items && isLoading && <Skeleton />}
      {items?.length === 0 && empty}
      {items && items.length > 0 && (
        <ul class="rows" aria-label={label}>
          {items.map(children)}
        </ul>
      )}
      {hasMore && (
        <Button look="quiet" isWaiting={isLoading} onClick={loadMore}>
          {t('loadMore')}
        </Button>
      )}
    </>
  );
}

/** Instead of what could not be loaded. */
export function LoadFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div class="load-failure">
      <Banner kind="danger">
        {describeError(error, { network_error: { key: 'notLoaded' }, timeout: { key: 'notLoaded' } })}
      </Banner>
      <Button look="quiet" onClick={onRetry}>
        {t('retry')}
      </Button>
    </div>
  );
}
