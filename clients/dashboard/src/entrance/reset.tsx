import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Banner } from '../parts/banner.js';
import { Button } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { t } from '../texts/index.js';
import { EntrancePage } from './entrance-page.js';
import type { Entrance } from './entrance.js';
import type { FailureTexts } from '../forms/failure.js';
import { isAboutLink } from './is-about-link.js';
import { useForm } from '../forms/use-form.js';

const TEXTS: FailureTexts<'password'> = { fields: { password: 'passwordInvalid' } };

/** Sets a new password by a mailed link. */
export function Reset({ entrance, token }: { entrance: Entrance; token: string }) {
  const [, navigate] = useLocation();
  const [isInvalid, setInvalid] = useState(false);
  const form = useForm({
    initial: { password: '' },
    texts: TEXTS,
    send: async ({ password }) => {
      try {
        await entrance.agent.resetPassword({ reset_token: token, password });
      } catch (error) {
        if (!isAboutLink(error)) throw error;
        setInvalid(true);
        return;
      }
      await entrance.resume('password-changed');
    },
  });
  if (isInvalid) {
    const requestLink = () => {
      navigate('/forgot', { replace: true });
      void entrance.resume();
    };
    return (
      <EntrancePage title={t('resetInvalid')} intro={t('resetInvalidNext')}>
        <Button onClick={requestLink}>{t('requestLink')}</Button>
      </EntrancePage>
    );
  }
  return (
    <EntrancePage title={t('resetTitle')} intro={t('resetIntro')}>
      {form.failure && <Banner kind="danger">{form.failure}</Banner>}
      <form noValidate onSubmit={form.submit}>
        <Field
          form={form}
          name="password"
          type="password"
          label={t('newPassword')}
          autocomplete="new-password"
          hint={t('passwordHint')}
          autofocus
        />
        <Button type="submit" isWaiting={form.isSending}>
          {t('resetSave')}
        </Button>
      </form>
    </EntrancePage>
  );
}
