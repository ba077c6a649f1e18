import type { ProfileView } from '@support-chat/sdk';
import { useForm } from '../../forms/use-form.js';
import { Field } from '../../parts/field.js';
import { toasts } from '../../parts/toasts.js';
import { useSession } from '../../session-context.js';
import { SaveBar, Section } from '../screen.js';
import { t, type TextKey } from './texts/index.js';

export interface ProfilePartProps {
  profile: ProfileView;
  onChange(profile: ProfileView): void;
}

/** Name and picture. */
export function Identity({ profile, onChange }: ProfilePartProps) {
  const session = useSession();
  const form = useForm<'name' | 'avatar_url', TextKey>({
    initial: { name: profile.name, avatar_url: profile.avatar_url ?? '' },
    optional: ['avatar_url'],
    texts: { fields: { name: 'nameInvalid', avatar_url: 'avatarInvalid' } },
    translate: t,
    draft: `${profile.id}:profile`,
    send: async ({ name, avatar_url }) => {
      const body = { name: name.trim(), avatar_url: avatar_url.trim() || null };
      onChange(await session.agent.members.updateMe(body));
      toasts.show({ kind: 'done', text: t('saved') });
      await session.reload();
    },
  });
  return (
    <Section title={t('you')}>
      <form noValidate onSubmit={form.submit}>
        <Field form={form} name="name" label={t('name')} autocomplete="name" hint={t('nameHint')} />
        <Field form={form} name="avatar_url" type="url" label={t('avatar')} hint={t('avatarHint')} />
        <SaveBar form={form} />
      </form>
    </Section>
  );
}
