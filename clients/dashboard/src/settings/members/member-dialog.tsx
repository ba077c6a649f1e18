import { useState } from 'preact/hooks';
import type { ChannelView, MemberView, Role } from '@support-chat/sdk';
import { useForm } from '../../forms/use-form.js';
import { Banner } from '../../parts/banner.js';
import { FormButtons } from '../../parts/form-buttons.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { toasts } from '../../parts/toasts.js';
import { useSession } from '../../session-context.js';
import { accessOf, rolesUpTo } from '../access.js';
import { ChannelChoice } from '../channel-choice.js';
import { MEMBER_CODES } from './errors.js';
import { RoleSelect } from './role-select.js';
import { t, type TextKey } from './texts/index.js';

export interface MemberDialogProps {
  member: MemberView;
  channels: readonly ChannelView[];
  onSave(member: MemberView): void;
  onClose(): void;
}

/** Name, role, channels and capacity of a member. */
export function MemberDialog({ member, channels, onSave, onClose }: MemberDialogProps) {
  const session = useSession();
  const [channelIds, setChannelIds] = useState(member.channel_ids);
  const form = useForm<'name' | 'role' | 'capacity', TextKey>({
    initial: { name: member.name, role: member.role, capacity: String(member.capacity) },
    texts: {
      fields: { name: 'nameInvalid', role: 'roleInvalid', capacity: 'capacityInvalid' },
      codes: {
        ...MEMBER_CODES,
        role_too_high: { field: 'role', key: 'roleTooHigh' },
        last_owner: { field: 'role', key: 'lastOwner' },
      },
    },
    translate: t,
    send: async ({ name, role, capacity }) => {
      const changed = await session.agent.members.update(member.id, {
        name: name.trim(),
        role: role as Role,
        capacity: Number(capacity),
        channel_ids: channelIds,
      });
      onSave(changed);
      toasts.show({ kind: 'done', text: t('memberSaved', { name: changed.name }) });
      onClose();
      if (member.id === session.me.member.id) await session.reload();
    },
  });
  return (
    <Dialog title={t('editMember', { name: member.name })} onClose={onClose} isSticky>
      {form.failure && <Banner kind="danger">{form.failure}</Banner>}
      <form noValidate onSubmit={form.submit}>
        <Field form={form} name="name" label={t('memberName')} />
        <RoleSelect form={form} roles={rolesUpTo(accessOf(session.me).role)} />
        <ChannelChoice
          channels={channels}
          listLabel={t('channelList')}
          hint={t('channelsHint')}
          value={channelIds}
          onChange={setChannelIds}
        />
        <Field form={form} name="capacity" type="number" label={t('capacity')} hint={t('capacityHint')} />
        <FormButtons action={t('save')} isWaiting={form.isSending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
