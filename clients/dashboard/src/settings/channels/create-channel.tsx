import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { ChannelWithSecretView } from '@support-chat/sdk';
import { useForm } from '../../forms/use-form.js';
import { Banner } from '../../parts/banner.js';
import { Button } from '../../parts/button.js';
import { FormButtons } from '../../parts/form-buttons.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { SecretField } from '../../parts/secret-field.js';
import { useSession } from '../../session-context.js';
import { COMMON_CODES } from '../errors.js';
import { t, type TextKey } from './texts/index.js';

export interface CreateChannelProps {
  onCreate(): void;
  onClose(): void;
}

/** Creates a channel, then shows its identity secret once and leads to the snippet. */
export function CreateChannel({ onCreate, onClose }: CreateChannelProps) {
  const { agent } = useSession();
  const [, navigate] = useLocation();
  const [created, setCreated] = useState<ChannelWithSecretView>();
  const form = useForm<'name', TextKey>({
    initial: { name: '' },
    texts: { fields: { name: 'channelNameInvalid' }, codes: COMMON_CODES },
    translate: t,
    send: async ({ name }) => {
      setCreated(await agent.channels.create({ name: name.trim() }));
      onCreate();
    },
  });
  if (created) {
    return (
      <Dialog key="created" title={t('secretTitle', { name: created.name })} onClose={onClose} isSticky>
        <SecretField label={t('identitySecret')} value={created.identity_secret} hint={t('identitySecretHint')} />
        <div class="actions">
          <Button
            onClick={() => {
              onClose();
              navigate(`/settings/channels/${created.id}/install`);
            }}
          >
            {t('toInstall')}
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog key="create" title={t('create')} onClose={onClose} isSticky>
      {form.failure && <Banner kind="danger">{form.failure}</Banner>}
      <form noValidate onSubmit={form.submit}>
        <Field form={form} name="name" label={t('channelName')} hint={t('channelNameHint')} autofocus />
        <FormButtons action={t('create')} isWaiting={form.isSending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
