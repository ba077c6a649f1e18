import { useState } from 'preact/hooks';
import type { ChannelView, IssuedInviteView, Role } from '@support-chat/sdk';
import { useForm } from '../../forms/use-form.js';
import { Banner } from '../../parts/banner.js';
import { Button } from '../../parts/button.js';
import { FormButtons } from '../../parts/form-buttons.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { SecretField } from '../../parts/secret-field.js';
import { useSession } from '../../session-context.js';
import { accessOf, rolesUpTo } from '../access.js';
import { ChannelChoice } from '../channel-choice.js';
import { MEMBER_CODES } from './errors.js';
import { RoleSelect } from './role-select.js';
import { t, type TextKey } from './texts/index.js';

export interface InviteDialogProps {
  channels: readonly ChannelView[];
  onCreate(): void;
  onClose(): void;
}

/** Creates an invite, then shows its link once. */
export function InviteDialog({ channels, onCreate, onClose }: InviteDialogProps) {
  const { agent, me } = useSession();
  const [invite, setInvite] = useState<IssuedInviteView>();
  const [channelIds, setChannelIds] = useState<string[] | null>(null);
  const form = useForm<'email' | 'role', TextKey>({
    initial: { email: '', role: 'agent' },
    texts: {
      fields: { email: 'emailInvalid', role: 'roleInvalid' },
      codes: {
        ...MEMBER_CODES,
        member_exists: { field: 'email', key: 'memberExists' },
        role_too_high: { field: 'role', key: 'roleTooHigh' },
      },
    },
    translate: t,
    send: async ({ email, role }) => {
      const body = { email: email.trim(), role: role as Role, ...(channelIds && { channel_ids: channelIds }) };
      setInvite(await agent.invites.create(body));
      onCreate();
    },
  });
  if (invite) return <InviteLink invite={invite} onClose={onClose} />;
  return (
    <Dialog title={t('invite')} onClose={onClose} isSticky>
      {form.failure && <Banner kind="danger">{form.failure}</Banner>}
      <form noValidate onSubmit={form.submit}>
        <Field form={form} name="email" type="email" label={t('email')} hint={t('emailHint')} autofocus />
        <RoleSelect form={form} roles={rolesUpTo(accessOf(me).role)} />
        <ChannelChoice
          channels={channels}
          listLabel={t('channelList')}
          hint={t('channelsHint')}
          value={channelIds}
          onChange={setChannelIds}
        />
        <FormButtons action={t('createInvite')} isWaiting={form.isSending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

/** The link of an invite, which only this dialog knows. */
export function InviteLink({ invite, onClose }: { invite: IssuedInviteView; onClose: () => void }) {
  const { email, accept_url: link } = invite;
  return (
    <Dialog title={t('inviteReady', { email })} onClose={onClose} isSticky>
      <SecretField label={t('inviteLink')} value={link} hint={t('inviteLinkHint', { email })} />
      <div class="actions">
        <Button onClick={onClose}>{t('done')}</Button>
      </div>
    </Dialog>
  );
}
