import { ApiError } from '@support-chat/sdk';
import { Link } from 'wouter-preact';
import { LoadFailure } from '../../parts/page-list.js';
import { t } from './texts/index.js';

/** Statuses of an id that is unknown, and of one that is no id. */
const MISSING = [400, 404];

export interface PageFailureProps {
  error: unknown;
  /** The list that the entry was in. */
  parent: { href: string; name: string };
  onRetry(): void;
}

/** Instead of an entry that could not be loaded, or does not exist. */
export function PageFailure({ error, parent, onRetry }: PageFailureProps) {
  if (!(error instanceof ApiError) || !MISSING.includes(error.status)) {
    return <LoadFailure error={error} onRetry={onRetry} />;
  }
  return (
    <div class="nothing">
      <h1>{t('noScreenTitle')}</h1>
      <p>{t('gone')}</p>
      <Link href={parent.href}>{parent.name}</Link>
    </div>
  );
}
