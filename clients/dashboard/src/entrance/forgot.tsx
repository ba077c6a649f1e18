import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useHistoryState } from 'wouter-preact/use-browser-location';
import { Banner } from '../parts/banner.js';
import { Button } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { t } from '../texts/index.js';
import { EntrancePage } from './entrance-page.js';
import type { Entrance } from './entrance.js';
import type { FailureTexts } from '../forms/failure.js';
import { useForm } from '../forms/use-form.js';

const TEXTS: FailureTexts<'email'> = { fields: { email: 'emailInvalid' } };

/** Requests a link. The screen afterwards is the same for known and unknown e-mails. */
export function Forgot({ entrance }: { entrance: Entrance }) {
  const typed = useHistoryState<{ email?: string } | null>();
  const [sentTo, setSentTo] = useState<string>();
  const form = useForm({
    initial: { email: typed?.email ?? '' },
    texts: TEXTS,
    send: async values => {
      const email = values.email.trim();
      await entrance.agent.forgotPassword(email);
      setSentTo(email);
    },
  });
  const footer = <Link href="/">{t('signInInstead')}</Link>;
  if (sentTo !== undefined) {
    return (
      <EntrancePage title={t('forgotSentTitle')} intro={t('forgotSent', { email: sentTo })} footer={footer}>
        <Button look="quiet" onClick={() => setSentTo(undefined)}>
          {t('forgotAgain')}
        </Button>
      </EntrancePage>
    );
  }
  return (
    <EntrancePage title={t('forgotTitle')} intro={t('forgotIntro')} footer={footer}>
      {form.failure && <Banner kind="danger">{form.failure}</Banner>}
      <form noValidate onSubmit={form.submit}>
        <Field form={form} name="email" type="email" label={t('email')} autocomplete="username" autofocus />
        <Button type="submit" isWaiting={form.isSending}>
          {t('forgotSend')}
        </Button>
      </form>
    </EntrancePage>
  );
}
