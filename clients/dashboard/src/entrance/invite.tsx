import { useEffect, useState } from 'preact/hooks';
import { ApiError, type InvitePreviewView } from '@support-chat/sdk';
import { Banner } from '../parts/banner.js';
import { Button } from '../parts/button.js';
import { formats, t } from '../texts/index.js';
import { EntrancePage } from './entrance-page.js';
import type { Entrance } from './entrance.js';
import { generalMessage } from '../forms/failure.js';
import { InviteForm } from './invite-form.js';
import { isAboutLink } from './is-about-link.js';
import { Loading } from './loading.js';

/** Shows an invite, and accepts it. */
export function Invite({ entrance, token }: { entrance: Entrance; token: string }) {
  const [preview, setPreview] = useState<InvitePreviewView>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    setError(undefined);
    entrance.agent.invitePreview(token).then(setPreview, setError);
  }, [token, attempt]);
  const leave = () => void entrance.resume();

  if (error !== undefined && isAboutLink(error)) {
    return (
      <EntrancePage title={t('inviteInvalid')} intro={t('inviteInvalidNext')}>
        <Button look="quiet" onClick={leave}>
          {t('signInInstead')}
        </Button>
      </EntrancePage>
    );
  }
  if (error !== undefined) {
    return (
      <EntrancePage title={t('unreachableTitle')}>
        <Banner kind="danger">{describe(error)}</Banner>
        <Button onClick={() => setAttempt(attempt + 1)}>{t('retry')}</Button>
      </EntrancePage>
    );
  }
  if (!preview) return <Loading />;
  return <InviteForm entrance={entrance} token={token} preview={preview} onInvalid={setError} onLeave={leave} />;
}

function describe(error: unknown): string {
  if (!(error instanceof ApiError)) return t('unexpected');
  const { key, values } = generalMessage(error, error.message, formats().duration);
  return t(key, values);
}
