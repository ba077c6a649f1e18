import type { Form, FormOptions } from '../../forms/use-form.js';
import { Field } from '../../parts/field.js';
import { TextArea } from '../../parts/text-area.js';
import { ADDRESS_FAULTS } from '../endpoints/address-faults.js';
import { COMMON_CODES } from '../errors.js';
import { BOT_FIELDS, OPTIONAL, type BotField } from './bot-values.js';
import { t, type TextKey } from './texts/index.js';

/** Options of every form of a bot. */
export const BOT_FORM = {
  optional: OPTIONAL,
  texts: { fields: BOT_FIELDS, faults: ADDRESS_FAULTS, codes: COMMON_CODES },
  translate: t,
} satisfies Partial<FormOptions<BotField, TextKey>>;

export function BotFields({ form, isNew = false }: { form: Form<BotField>; isNew?: boolean }) {
  return (
    <>
      <Field form={form} name="name" label={t('botName')} hint={t('botNameHint')} autofocus={isNew} />
      <Field form={form} name="webhook_url" type="url" label={t('address')} hint={t('addressHint')} />
      <TextArea form={form} name="description" label={t('description')} rows={2} hint={t('descriptionHint')} />
      <Field form={form} name="avatar_url" type="url" label={t('avatar')} hint={t('avatarHint')} />
      <Field form={form} name="timeout_seconds" type="number" label={t('timeout')} hint={t('timeoutHint')} />
      <Field form={form} name="history_count" type="number" label={t('history')} hint={t('historyHint')} />
    </>
  );
}
