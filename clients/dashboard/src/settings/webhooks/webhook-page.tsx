import { Link, useLocation } from 'wouter-preact';
import type { WebhookTestView, WebhookView } from '@support-chat/sdk';
import { Banner } from '../../parts/banner.js';
import { Skeleton } from '../../parts/skeleton.js';
import { toasts } from '../../parts/toasts.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { useSession } from '../../session-context.js';
import { hostOf } from '../endpoints/address-faults.js';
import { DeleteSection } from '../endpoints/delete-section.js';
import { EnabledSwitch } from '../endpoints/enabled-switch.js';
import { PageFailure } from '../endpoints/page-failure.js';
import { SecretSection } from '../endpoints/secret.js';
import { AnswerText, TestSection } from '../endpoints/test-section.js';
import { Screen } from '../screen.js';
import { Deliveries } from './deliveries.js';
import { LIST, nameOf } from './webhook-health.js';
import type { WebhookPartProps } from './webhook-part.js';
import { WebhookSettings } from './webhook-settings.js';
import { t } from './texts/index.js';

/** One webhook: its settings, or the log of its deliveries. */
export function WebhookPage({ id, isLog }: { id: string; isLog: boolean }) {
  const { agent } = useSession();
  const { value: webhook, error, reload, set } = useLoaded(() => agent.webhooks.get(id));
  const parent = { href: LIST, name: t('webhooks') };
  if (!webhook && error === undefined) return <Skeleton />;
  if (!webhook) return <PageFailure error={error} parent={parent} onRetry={() => void reload()} />;
  return (
    <Screen title={nameOf(webhook)} intro={webhook.url} parent={parent}>
      <nav class="tabs" aria-label={t('parts')}>
        <Link href={`${LIST}/${id}`} aria-current={isLog ? undefined : 'page'}>
          {t('settings')}
        </Link>
        <Link href={`${LIST}/${id}/deliveries`} aria-current={isLog ? 'page' : undefined}>
          {t('deliveries')}
        </Link>
      </nav>
      {webhook.disabled_reason && (
        <Banner kind="danger">{t(webhook.disabled_reason === 'gone' ? 'goneText' : 'failingText')}</Banner>
      )}
      {isLog ? (
        <Deliveries webhook={webhook} />
      ) : (
        <>
          <EnabledWebhook webhook={webhook} onChange={set} />
          <WebhookSettings webhook={webhook} onChange={set} />
          <TestSection intro={t('testIntro')} run={() => agent.webhooks.test(id)}>
            {result => <Outcome result={result} />}
          </TestSection>
          <SecretSection
            name={hostOf(webhook.url)}
            rotate={async () => (await agent.webhooks.rotateSecret(id)).secret}
          />
          <DeleteWebhook webhook={webhook} />
        </>
      )}
    </Screen>
  );
}

function EnabledWebhook({ webhook, onChange }: WebhookPartProps) {
  const { agent } = useSession();
  const name = nameOf(webhook);
  return (
    <EnabledSwitch
      isOn={webhook.enabled}
      hint={t('enabledHint')}
      question={{ title: t('disableTitle', { name }), text: t('disableText') }}
      onChange={async enabled => {
        onChange(await agent.webhooks.update(webhook.id, { enabled }));
        toasts.show({ kind: 'done', text: t(enabled ? 'isEnabled' : 'isDisabled', { name }) });
      }}
    />
  );
}

function Outcome({ result: { ok, status, latency_ms: ms, body } }: { result: WebhookTestView }) {
  const values = { status: String(status), latency: t('latency', { ms }) };
  return (
    <>
      <Banner kind={ok ? 'success' : 'danger'}>
        {status === null ? t('unreachable') : t(ok ? 'answered' : 'answeredBadly', values)}
      </Banner>
      {status !== null && (body ? <AnswerText label={t('answer')} text={body} /> : <p>{t('emptyAnswer')}</p>)}
    </>
  );
}

function DeleteWebhook({ webhook }: { webhook: WebhookView }) {
  const { agent } = useSession();
  const [, navigate] = useLocation();
  return (
    <DeleteSection
      title={t('deleteWebhook')}
      text={t('deleteText')}
      name={hostOf(webhook.url)}
      onDelete={async () => {
        await agent.webhooks.delete(webhook.id);
        toasts.show({ kind: 'done', text: t('deleted', { name: nameOf(webhook) }) });
        navigate(LIST, { replace: true });
      }}
    />
  );
}
