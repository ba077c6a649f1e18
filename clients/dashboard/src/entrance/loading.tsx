import { t } from '../texts/index.js';

/** Shows nothing for 150 ms, because most waits are shorter. */
export function Loading() {
  return (
    <main class="loading">
      <div role="status">
        <span class="unseen">{t('loading')}</span>
        <span class="spinner" aria-hidden="true" />
      </div>
    </main>
  );
}
