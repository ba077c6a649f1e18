import { Link } from 'wouter-preact';
import { t } from './texts/index.js';

/** An address without a screen. */
export function NotFound() {
  return (
    <div class="nothing">
      <h1>{t('notFoundTitle')}</h1>
      <p>{t('notFound')}</p>
      <Link href="/inbox">{t('toInbox')}</Link>
    </div>
  );
}
