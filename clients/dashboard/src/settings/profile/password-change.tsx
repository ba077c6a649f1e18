import { useForm } from '../../forms/use-form.js';
import { Banner } from '../../parts/banner.js';
import { Button } from '../../parts/button.js';
import { Field } from '../../parts/field.js';
import { toasts } from '../../parts/toasts.js';
import { useSession } from '../../session-context.js';
import { Section } from '../screen.js';
import { t, type TextKey } from './texts/index.js';

const EMPTY = { old_password: '', password: '' };

/** Changes the password. The fields are empty afterwards. */
export function PasswordChange({ email }: { email: string }) {
  const { agent } = useSession();
  const form = useForm<'old_password' | 'password', TextKey>({
    initial: EMPTY,
    texts: {
      fields: { old_password: 'passwordMissing', password: 'passwordInvalid' },
      codes: { invalid_credentials: { field: 'old_password', key: 'oldPasswordWrong' } },
    },
    translate: t,
    send: async values => {
      await agent.changePassword(values);
      form.reset();
      toasts.show({ kind: 'done', text: t('passwordChangedNow') });
    },
  });
  return (
    <Section title={t('passwordTitle')} intro={t('passwordIntro')}>
      {form.failure && <Banner kind="danger">{form.failure}</Banner>}
      <form noValidate onSubmit={form.submit}>
        <input class="unseen" type="email" autocomplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
        <Field
          form={form}
          name="old_password"
          type="password"
          label={t('oldPassword')}
          autocomplete="current-password"
        />
        <Field
          form={form}
          name="password"
          type="password"
          label={t('newPassword')}
          autocomplete="new-password"
          hint={t('passwordHint')}
        />
        <div>
          <Button type="submit" look="quiet" isWaiting={form.isSending}>
            {t('changePassword')}
          </Button>
        </div>
      </form>
    </Section>
  );
}
