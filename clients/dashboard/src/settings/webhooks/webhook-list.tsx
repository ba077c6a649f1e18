import { Link, useLocation } from 'wouter-preact';
import type { ChannelView, WebhookView } from '@support-chat/sdk';
import { Button } from '../../parts/button.js';
import { Empty } from '../../parts/empty.js';
import { PageList } from '../../parts/page-list.js';
import { Row } from '../../parts/row.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { usePages } from '../../parts/use-pages.js';
import { useSession } from '../../session-context.js';
import { MAX_CHANNELS } from '../channel-choice.js';
import { describeChannels } from '../channel-names.js';
import { hostOf } from '../endpoints/address-faults.js';
import { StateBadge } from '../endpoints/state-badge.js';
import { Screen } from '../screen.js';
import { LIST, nameOf, useHealth } from './webhook-health.js';
import { formats, t } from './texts/index.js';

export function WebhookList() {
  const { agent } = useSession();
  const [, navigate] = useLocation();
  const webhooks = usePages(next => agent.webhooks.list(next));
  const channels = useLoaded(async () => (await agent.channels.list({ limit: MAX_CHANNELS })).items);
  const create = <Button onClick={() => navigate(`${LIST}/new`)}>{t('newWebhook')}</Button>;
  return (
    <Screen title={t('webhooks')} intro={t('intro')} action={webhooks.items?.length !== 0 && create}>
      <PageList
        pages={webhooks}
        label={t('webhooks')}
        empty={
          <Empty title={t('noWebhooks')} text={t('noWebhooksText')}>
            {create}
          </Empty>
        }
      >
        {webhook => <WebhookRow key={webhook.id} webhook={webhook} channels={channels.value ?? []} />}
      </PageList>
    </Screen>
  );
}

function WebhookRow({ webhook, channels }: { webhook: WebhookView; channels: readonly ChannelView[] }) {
  const { look, name, fact } = useHealth(webhook);
  return (
    <Row
      title={
        <>
          <Link href={`${LIST}/${webhook.id}`}>{nameOf(webhook)}</Link> <StateBadge look={look}>{name}</StateBadge>
        </>
      }
      facts={[
        fact,
        webhook.description !== null && hostOf(webhook.url),
        eventsText(webhook),
        webhook.channel_ids !== null && describeChannels(webhook.channel_ids, channels),
      ]}
    >
      <Link class="open" href={`${LIST}/${webhook.id}/deliveries`}>
        {t('deliveries')} <span class="unseen">{nameOf(webhook)}</span>
      </Link>
    </Row>
  );
}

const MAX_NAMED = 3;

function eventsText({ events }: WebhookView): string {
  if (events.includes('*')) return t('allEvents');
  return events.length <= MAX_NAMED ? formats().list(events) : t('eventCount', { count: events.length });
}
