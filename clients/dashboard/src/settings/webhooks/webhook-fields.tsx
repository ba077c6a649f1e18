import type { Form, FormOptions } from '../../forms/use-form.js';
import { Checks } from '../../parts/checks.js';
import { Field } from '../../parts/field.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { useSession } from '../../session-context.js';
import { ChannelChoice, MAX_CHANNELS } from '../channel-choice.js';
import { ADDRESS_FAULTS } from '../endpoints/address-faults.js';
import { COMMON_CODES } from '../errors.js';
import { EventChoice } from './event-choice.js';
import {
  channelsOf,
  channelText,
  joined,
  listOf,
  OPTIONAL,
  WEBHOOK_FIELDS,
  type WebhookField,
} from './webhook-values.js';
import { t, type TextKey } from './texts/index.js';

/** Options of every form of a webhook. */
export const WEBHOOK_FORM = {
  optional: OPTIONAL,
  texts: {
    fields: WEBHOOK_FIELDS,
    faults: ADDRESS_FAULTS,
    codes: { ...COMMON_CODES, limit_reached: { key: 'limitReached' } },
  },
  translate: t,
} satisfies Partial<FormOptions<WebhookField, TextKey>>;

export function WebhookFields({ form, isNew = false }: { form: Form<WebhookField>; isNew?: boolean }) {
  const { agent } = useSession();
  const channels = useLoaded(async () => (await agent.channels.list({ limit: MAX_CHANNELS })).items);
  return (
    <>
      <Field form={form} name="url" type="url" label={t('address')} hint={t('addressHint')} autofocus={isNew} />
      <Field form={form} name="description" label={t('description')} hint={t('descriptionHint')} />
      <EventChoice
        patterns={listOf(form.values.events)}
        fault={form.faultOf('events')}
        onChange={patterns => form.change('events', joined(patterns))}
      />
      <ChannelChoice
        channels={channels.value ?? []}
        listLabel={t('channelList')}
        hint={t('channelsHint')}
        fault={form.faultOf('channel_ids')}
        value={channelsOf(form.values.channel_ids)}
        onChange={ids => form.change('channel_ids', channelText(ids))}
      />
      <Checks
        label={t('privacy')}
        options={[{ value: 'on', name: t('includePrivate'), hint: t('includePrivateHint') }]}
        chosen={listOf(form.values.include_private)}
        onChange={chosen => form.change('include_private', joined(chosen))}
      />
    </>
  );
}
