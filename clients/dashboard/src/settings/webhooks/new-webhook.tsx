import type { WebhookWithSecretView } from '@support-chat/sdk';
import { useForm } from '../../forms/use-form.js';
import { useSession } from '../../session-context.js';
import { NewEndpoint } from '../endpoints/new-endpoint.js';
import { WEBHOOK_FORM, WebhookFields } from './webhook-fields.js';
import { LIST } from './webhook-health.js';
import { bodyOf, valuesOf, type WebhookField } from './webhook-values.js';
import { t, type TextKey } from './texts/index.js';

/** The form of a new webhook. What is typed is kept while the page is open. */
export function NewWebhook({ onCreate }: { onCreate: (webhook: WebhookWithSecretView) => void }) {
  const { agent, me } = useSession();
  const form = useForm<WebhookField, TextKey>({
    ...WEBHOOK_FORM,
    initial: valuesOf(),
    draft: `${me.member.id}:webhook:new`,
    send: async values => onCreate(await agent.webhooks.create(bodyOf(values))),
  });
  const parent = { href: LIST, name: t('webhooks') };
  return (
    <NewEndpoint form={form} title={t('newWebhook')} intro={t('newIntro')} action={t('create')} parent={parent}>
      <WebhookFields form={form} isNew />
    </NewEndpoint>
  );
}
