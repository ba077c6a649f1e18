import { ApiError } from '@support-chat/sdk';
import { Button } from '../parts/button.js';
import { formats, t } from '../texts/index.js';
import { EntrancePage } from './entrance-page.js';
import type { EntranceState } from './entrance-state.js';
import type { Entrance } from './entrance.js';

/** The sign-in from another program has failed. */
export function TicketFailed({ entrance, link, error }: StateOf<'ticket'>) {
  const mayRetry = error instanceof ApiError && (error.transient || error.code === 'rate_limited');
  return (
    <EntrancePage title={t('ticketTitle')} intro={t(mayRetry ? 'ticketRetry' : 'ticketInvalid')}>
      {mayRetry && <Button onClick={() => void entrance.useTicket(link)}>{t('retry')}</Button>}
      <Button look="quiet" onClick={() => void entrance.resume()}>
        {t('usePassword')}
      </Button>
    </EntrancePage>
  );
}

/** Another member is signed in now. This tab shows nothing of either until somebody decides. */
export function Elsewhere({ entrance }: { entrance: Entrance }) {
  return (
    <EntrancePage title={t('elsewhereTitle')} intro={t('elsewhere')}>
      <Button onClick={() => void entrance.resume()}>{t('elsewhereContinue')}</Button>
    </EntrancePage>
  );
}

/** The session is stored, but the service did not answer. */
export function Unreachable({ entrance, error }: StateOf<'unreachable'>) {
  const wait = error instanceof ApiError ? error.retryAfter : undefined;
  const intro = wait === undefined ? t('unreachable') : t('unreachableWait', { time: formats().duration(wait) });
  return (
    <EntrancePage title={t('unreachableTitle')} intro={intro}>
      <Button onClick={() => void entrance.resume()}>{t('retry')}</Button>
    </EntrancePage>
  );
}

type StateOf<Screen> = Omit<Extract<EntranceState, { screen: Screen }>, 'screen'> & { entrance: Entrance };
