import { useLocation } from 'wouter-preact';
import type { WebhookWithSecretView } from '@support-chat/sdk';
import { useForm } from '../../forms/use-form.js';
import { Banner } from '../../parts/banner.js';
import { FormButtons } from '../../parts/form-buttons.js';
import { useSession } from '../../session-context.js';
import { Screen } from '../screen.js';
import { WEBHOOK_FORM, WebhookFields } from './webhook-fields.js';
import { LIST } from './webhook-health.js';
import { bodyOf, valuesOf, type WebhookField } from './webhook-values.js';
import { t, type TextKey } from './texts/index.js';

/** The form of a new webhook. What is typed is kept while the page is open. */
export function NewWebhook({ onCreate }: { onCreate: (webhook: WebhookWithSecretView) => void }) {
  const { agent, me } = useSession();
  const [, navigate] = useLocation();
  const form = useForm<WebhookField, TextKey>({
    ...WEBHOOK_FORM,
    initial: valuesOf(),
    draft: `${me.member.id}:webhook:new`,
    send: async values => onCreate(await agent.webhooks.create(bodyOf(values))),
  });
  return (
    <Screen title={t('newWebhook')} intro={t('newIntro')} parent={{ href: LIST, name: t('webhooks') }}>
      <form class="sheet" noValidate onSubmit={form.submit}>
        <WebhookFields form={form} isNew />
        {form.failure && <Banner kind="danger">{form.failure}</Banner>}
        <FormButtons
          action={t('create')}
          isWaiting={form.isSending}
          onCancel={() => {
            form.reset();
            navigate(LIST);
          }}
        />
      </form>
    </Screen>
  );
}
