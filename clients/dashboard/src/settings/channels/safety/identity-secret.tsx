import { useState } from 'preact/hooks';
import { Button } from '../../../parts/button.js';
import { Confirmation } from '../../../parts/confirmation.js';
import { Dialog } from '../../../parts/dialog.js';
import { SecretField } from '../../../parts/secret-field.js';
import { useSession } from '../../../session-context.js';
import { describe } from '../../errors.js';
import { Section } from '../../screen.js';
import type { ChannelPartProps } from '../channel-part.js';
import { t } from '../texts/index.js';

/** Replaces the secret of identity tokens, and shows the new one once. */
export function IdentitySecret({ channel: { id, name } }: ChannelPartProps) {
  const { agent } = useSession();
  const [isAsking, setAsking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const close = () => setSecret(undefined);
  return (
    <Section title={t('identitySecret')} intro={t('secretHint')}>
      <div>
        <Button look="quiet" onClick={() => setAsking(true)}>
          {t('replaceSecret')}
        </Button>
      </div>
      {isAsking && (
        <Confirmation
          title={t('replaceSecretTitle', { name })}
          action={t('replaceSecret')}
          describe={describe}
          onConfirm={async () => setSecret((await agent.channels.rotateIdentitySecret(id)).identity_secret)}
          onClose={() => setAsking(false)}
        >
          <p>{t('replaceSecretText')}</p>
        </Confirmation>
      )}
      {secret !== undefined && !isAsking && (
        <Dialog title={t('newSecretTitle', { name })} onClose={close} isSticky>
          <SecretField label={t('identitySecret')} value={secret} hint={t('newSecretHint')} />
          <div class="actions">
            <Button onClick={close}>{t('done')}</Button>
          </div>
        </Dialog>
      )}
    </Section>
  );
}
