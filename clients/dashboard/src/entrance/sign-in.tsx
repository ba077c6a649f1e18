import { Link, useLocation } from 'wouter-preact';
import { Banner } from '../parts/banner.js';
import { Button } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { t, type TextKey } from '../texts/index.js';
import { EntrancePage } from './entrance-page.js';
import type { SignInReason } from './entrance-state.js';
import type { Entrance } from './entrance.js';
import type { FailureTexts } from '../forms/failure.js';
import { useForm } from '../forms/use-form.js';

const REASONS: Record<SignInReason, TextKey> = {
  ended: 'sessionEnded',
  'ended-in-tab': 'sessionEndedInTab',
  'password-changed': 'passwordChanged',
};

const TEXTS: FailureTexts<'email' | 'password'> = {
  fields: { email: 'emailInvalid', password: 'passwordMissing' },
  codes: { invalid_credentials: { key: 'wrongCredentials' }, member_deactivated: { key: 'deactivated' } },
};

export function SignIn({ entrance, reason }: { entrance: Entrance; reason: SignInReason | undefined }) {
  const [, navigate] = useLocation();
  const form = useForm({
    initial: { email: '', password: '' },
    texts: TEXTS,
    send: values => entrance.signIn(agent => agent.login({ ...values, email: values.email.trim() })),
  });
  const forgot = (event: Event) => {
    event.preventDefault();
    navigate('/forgot', { state: { email: form.values.email } });
  };
  return (
    <EntrancePage title={t('signInTitle')}>
      {form.failure ? (
        <Banner kind="danger">{form.failure}</Banner>
      ) : (
        reason && <Banner kind={reason === 'password-changed' ? 'success' : 'info'}>{t(REASONS[reason])}</Banner>
      )}
      <form noValidate onSubmit={form.submit}>
        <Field form={form} name="email" type="email" label={t('email')} autocomplete="username" autofocus />
        <Field form={form} name="password" type="password" label={t('password')} autocomplete="current-password" />
        <Button type="submit" isWaiting={form.isSending}>
          {t('signIn')}
        </Button>
        <p class="aside">
          <Link href="/forgot" onClick={forgot}>
            {t('forgotLink')}
          </Link>
        </p>
      </form>
    </EntrancePage>
  );
}
