import type { WebhookDeliveryView, WebhookView } from '@support-chat/sdk';
import { useLoaded } from '../../parts/use-loaded.js';
import { useSession } from '../../session-context.js';
import { hostOf } from '../endpoints/address-faults.js';
import type { StateLook } from '../endpoints/state-badge.js';
import { formats, t } from './texts/index.js';

export const LIST = '/settings/webhooks';

/** Among so many deliveries the latest attempt is looked for. */
const NEWEST = 10;

export type Attempt = WebhookDeliveryView['attempts'][number];

export interface Health {
  look: StateLook;
  /** A word or two. */
  name: string;
  /** Why, or since when. */
  fact: string;
}

/** The description of a webhook, or the host of its address. */
export function nameOf({ description, url }: WebhookView): string {
  return description ?? hostOf(url);
}

export const isSuccess = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;

/** The outcome of an attempt: a status, or why there is none. */
export function attemptText({ status, error }: Attempt): string {
  if (status !== null) return String(status);
  if (error === 'not_selected') return t('notSelected');
  return t(error === 'internal_error' ? 'internalError' : 'notReached');
}

/** How a webhook works at present, by its settings and its latest attempt. */
export function useHealth(webhook: WebhookView): Health {
  const { agent } = useSession();
  const latest = useLoaded(async () => {
    if (!webhook.enabled) return undefined;
    const { items } = await agent.webhooks.deliveries(webhook.id, { limit: NEWEST });
    return items.find(({ attempts }) => attempts.length > 0)?.attempts.at(-1);
  });
  return healthOf(webhook, latest.value);
}

export function healthOf(webhook: WebhookView, latest: Attempt | undefined): Health {
  const { enabled, disabled_reason: reason, last_success_at: successAt } = webhook;
  if (reason === 'gone') return { look: 'danger', name: t('switchedOff'), fact: t('wasGone') };
  if (reason === 'failing') return { look: 'danger', name: t('switchedOff'), fact: t('wasFailing') };
  if (!enabled) return { look: 'plain', name: t('disabled'), fact: t('receivesNothing') };
  if (latest && !isSuccess(latest)) {
    const values = { time: formats().ago(latest.at), outcome: attemptText(latest) };
    return { look: 'warning', name: t('failing'), fact: t('lastFailed', values) };
  }
  if (successAt === null) return { look: 'plain', name: t('isNew'), fact: t('neverDelivered') };
  return { look: 'good', name: t('working'), fact: t('lastDelivered', { time: formats().ago(successAt) }) };
}
