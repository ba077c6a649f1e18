import { t } from '../texts/index.js';

/** Grey lines in the size of what is being loaded. The styles show them after 150 ms, because most waits are shorter. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">{t('loading')}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="line" aria-hidden="true" />
      ))}
    </div>
  );
}
