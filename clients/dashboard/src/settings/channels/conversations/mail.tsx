import { Field } from '../../../parts/field.js';
import { SaveBar, Section } from '../../screen.js';
import type { ChannelPartProps } from '../channel-part.js';
import { isWhole, numberOf } from '../lines.js';
import { t } from '../texts/index.js';
import { useChannelForm } from '../use-channel-form.js';

const MAX_MINUTES = 10_080;

/** Answers that customers have not read go to them by mail. */
export function Mail(props: ChannelPartProps) {
  const { channel } = props;
  const form = useChannelForm({
    ...props,
    part: 'mail',
    initial: {
      followup_email_minutes: String(channel.followup_email_minutes ?? ''),
      reply_email: channel.reply_email ?? '',
    },
    faults: { followup_email_minutes: 'followupInvalid', reply_email: 'replyEmailInvalid' },
    optional: ['followup_email_minutes', 'reply_email'],
    check: values =>
      isWhole(values.followup_email_minutes, 1, MAX_MINUTES, true) ? {} : { followup_email_minutes: 'followupInvalid' },
    toBody: values => ({
      followup_email_minutes: numberOf(values.followup_email_minutes),
      reply_email: values.reply_email.trim() || null,
    }),
  });
  return (
    <Section title={t('mail')}>
      <form noValidate onSubmit={form.submit}>
        <Field form={form} name="followup_email_minutes" type="number" label={t('followup')} hint={t('followupHint')} />
        <Field form={form} name="reply_email" type="email" label={t('replyEmail')} hint={t('replyEmailHint')} />
        <SaveBar form={form} />
      </form>
    </Section>
  );
}
