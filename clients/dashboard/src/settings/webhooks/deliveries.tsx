import { useState } from 'preact/hooks';
import type { WebhookView } from '@support-chat/sdk';
import { Button } from '../../parts/button.js';
import { Empty } from '../../parts/empty.js';
import { PageList } from '../../parts/page-list.js';
import { Select } from '../../parts/select.js';
import { DeliveryEntry } from './delivery-entry.js';
import { EVENT_TYPES } from './event-types.js';
import { ReplayDialog } from './replay-dialog.js';
import { t } from './texts/index.js';
import { useDeliveries, type DeliveryFilters } from './use-deliveries.js';

const STATUSES = ['pending', 'delivered', 'failed'] as const;
const NO_FILTERS: DeliveryFilters = { status: '', event: '' };

/** The log of a webhook: filters, deliveries with their attempts, and a replay of a time. */
export function Deliveries({ webhook }: { webhook: WebhookView }) {
  const [filters, setFilters] = useState(NO_FILTERS);
  const [isReplaying, setReplaying] = useState(false);
  const { pages, retry, reloadSoon } = useDeliveries(webhook.id, filters);
  const isFiltered = filters.status !== '' || filters.event !== '';
  return (
    <section class="part" aria-label={t('deliveries')}>
      <div class="log-actions">
        <p class="intro">{t('deliveriesIntro')}</p>
        <Button look="quiet" isSmall isWaiting={pages.isLoading} onClick={() => void pages.reload()}>
          {t('reload')}
        </Button>
        {webhook.enabled && (
          <Button look="quiet" isSmall onClick={() => setReplaying(true)}>
            {t('replay')}
          </Button>
        )}
      </div>
      <Filters filters={filters} onChange={setFilters} />
      <PageList
        pages={pages}
        label={t('deliveries')}
        empty={
          isFiltered ? (
            <Empty title={t('nothingFound')} text={t('nothingFoundText')}>
              <Button look="quiet" onClick={() => setFilters(NO_FILTERS)}>
                {t('clearFilters')}
              </Button>
            </Empty>
          ) : (
            <Empty title={t('noDeliveries')} text={t('noDeliveriesText')} />
          )
        }
      >
        {delivery => <DeliveryEntry key={delivery.id} delivery={delivery} canRetry={webhook.enabled} onRetry={retry} />}
      </PageList>
      {isReplaying && <ReplayDialog webhookId={webhook.id} onQueue={reloadSoon} onClose={() => setReplaying(false)} />}
    </section>
  );
}

interface FiltersProps {
  filters: DeliveryFilters;
  onChange(filters: DeliveryFilters): void;
}

function Filters({ filters, onChange }: FiltersProps) {
  return (
    <div class="log-filters">
      <Select
        label={t('status')}
        value={filters.status}
        options={[{ value: '', name: t('anyStatus') }, ...STATUSES.map(value => ({ value, name: t(value) }))]}
        onChange={status => onChange({ ...filters, status })}
      />
      <Select
        label={t('event')}
        value={filters.event}
        options={[{ value: '', name: t('anyEvent') }, ...EVENT_TYPES.map(value => ({ value, name: value }))]}
        onChange={event => onChange({ ...filters, event })}
      />
    </div>
  );
}
