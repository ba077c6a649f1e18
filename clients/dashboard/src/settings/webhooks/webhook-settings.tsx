import { useEffect, useRef } from 'preact/hooks';
import { useForm } from '../../forms/use-form.js';
import { toasts } from '../../parts/toasts.js';
import { useSession } from '../../session-context.js';
import { SaveBar, Section } from '../screen.js';
import { WEBHOOK_FORM, WebhookFields } from './webhook-fields.js';
import { nameOf } from './webhook-health.js';
import type { WebhookPartProps } from './webhook-part.js';
import { changesOf, valuesOf, type WebhookField } from './webhook-values.js';
import { t, type TextKey } from './texts/index.js';

export function WebhookSettings({ webhook, onChange }: WebhookPartProps) {
  const { agent, me } = useSession();
  const isSaved = useRef(false);
  const initial = valuesOf(webhook);
  const form = useForm<WebhookField, TextKey>({
    ...WEBHOOK_FORM,
    initial,
    draft: `${me.member.id}:webhook:${webhook.id}`,
    send: async values => {
      const changed = await agent.webhooks.update(webhook.id, changesOf(values, initial));
      isSaved.current = true;
      onChange(changed);
      toasts.show({ kind: 'done', text: t('webhookSaved', { name: nameOf(changed) }) });
    },
  });
  useEffect(() => {
    // the service answers without the query of the address, which this page then forgets
    if (isSaved.current) form.reset();
    isSaved.current = false;
  }, [webhook]);
  return (
    <Section title={t('general')}>
      <form noValidate onSubmit={form.submit}>
        <WebhookFields form={form} />
        <SaveBar form={form} />
      </form>
    </Section>
  );
}
