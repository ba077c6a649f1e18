import { useState } from 'preact/hooks';
import type { ApiKeyView, CreatedApiKeyView } from '@support-chat/sdk';
import { Button } from '../../parts/button.js';
import { Dialog } from '../../parts/dialog.js';
import { Empty } from '../../parts/empty.js';
import { PageList } from '../../parts/page-list.js';
import { Row } from '../../parts/row.js';
import { SecretField } from '../../parts/secret-field.js';
import { usePages } from '../../parts/use-pages.js';
import { useSession } from '../../session-context.js';
import { dateText } from '../dates.js';
import { Screen } from '../screen.js';
import { CreateKeyDialog } from './create-key-dialog.js';
import { RevokeKey } from './revoke-key.js';
import { formats, t } from './texts/index.js';

/** API keys of the workspace, for owners and admins. The key itself is shown once. */
export default function ApiKeys() {
  const { agent } = useSession();
  const keys = usePages(next => agent.apiKeys.list(next));
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedApiKeyView>();
  const [revoked, setRevoked] = useState<ApiKeyView>();
  const create = <Button onClick={() => setCreating(true)}>{t('create')}</Button>;
  return (
    <Screen title={t('apiKeys')} intro={t('intro')} action={keys.items?.length !== 0 && create}>
      <PageList
        pages={keys}
        label={t('apiKeys')}
        empty={
          <Empty title={t('noKeys')} text={t('noKeysText')}>
            {create}
          </Empty>
        }
      >
        {key => (
          <Row
            key={key.id}
            title={
              <>
                {key.name} <code dir="ltr">{key.key_prefix}</code>
              </>
            }
            facts={factsOf(key)}
          >
            <Button
              look="quiet"
              isSmall
              name={t('of', { action: t('revoke'), name: key.name })}
              onClick={() => setRevoked(key)}
            >
              {t('revoke')}
            </Button>
          </Row>
        )}
      </PageList>
      {isCreating && (
        <CreateKeyDialog
          onCreate={key => {
            setCreating(false);
            setCreated(key);
            void keys.reload();
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {created && (
        <Dialog title={t('keyReady', { name: created.name })} onClose={() => setCreated(undefined)} isSticky>
          <SecretField label={t('key')} value={created.key} hint={t('keyHint')} />
          <div class="actions">
            <Button onClick={() => setCreated(undefined)}>{t('done')}</Button>
          </div>
        </Dialog>
      )}
      {revoked && (
        <RevokeKey
          apiKey={revoked}
          onRevoke={() => keys.update(items => items.filter(({ id }) => id !== revoked.id))}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </Screen>
  );
}

function factsOf({ scopes, expires_at: expiresAt, last_used_at: usedAt }: ApiKeyView): (string | false)[] {
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  return [
    scopes.includes('*') ? t('allScopes') : t('scopeCount', { count: scopes.length }),
    usedAt === null ? t('neverUsed') : t('lastUsed', { time: formats().ago(usedAt) }),
    expiresAt !== null && (isOver ? t('expired') : t('expiresOn', { date: dateText(expiresAt) })),
  ];
}
