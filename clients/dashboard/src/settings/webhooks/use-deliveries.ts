import { useEffect, useRef } from 'preact/hooks';
import type { ListDeliveriesQuery, WebhookDeliveryView } from '@support-chat/sdk';
import { usePages, type Pages } from '../../parts/use-pages.js';
import { useSession } from '../../session-context.js';

export interface DeliveryFilters {
  status: NonNullable<ListDeliveriesQuery['status']> | '';
  event: string;
}

export interface DeliveryLog {
  pages: Pages<WebhookDeliveryView>;
  /** Makes another attempt, and shows its outcome once it is known. */
  retry(delivery: WebhookDeliveryView): Promise<void>;
  /** Loads the newest deliveries until those of a replay may have come. */
  reloadSoon(): void;
}

/** Pauses before each look at an attempt, in ms. Most are over after the first. */
const LOOK_AFTER_MS = [400, 1_000, 2_000, 4_000, 8_000, 15_000];
const RELOAD_AFTER_MS = [500, 1_500, 4_000];
const MAX_LOOKED_AT = 200;

/** The log of a webhook's deliveries, newest first. */
export function useDeliveries(webhookId: string, filters: DeliveryFilters): DeliveryLog {
  const { agent } = useSession();
  const { status, event } = filters;
  const query = { ...(status && { status }), ...(event && { event }) };
  const pages = usePages(next => agent.webhooks.deliveries(webhookId, { ...query, ...next }), JSON.stringify(query));
  const latest = useRef(pages);
  latest.current = pages;
  const isMounted = useRef(true);
  useEffect(() => () => void (isMounted.current = false), []);

  const show = (changed: WebhookDeliveryView) =>
    latest.current.update(items => items.map(item => (item.id === changed.id ? changed : item)));
  const follow = async ({ id, event: type, attempts }: WebhookDeliveryView) => {
    for (const ms of LOOK_AFTER_MS) {
      await pause(ms);
      if (!isMounted.current) return;
      // whatever its status is by now
      const { items } = await agent.webhooks.deliveries(webhookId, { event: type, limit: MAX_LOOKED_AT });
      const found = items.find(item => item.id === id);
      if (!found || !isMounted.current) return;
      show(found);
      if (found.attempts.at(-1)?.at !== attempts.at(-1)?.at) return;
    }
  };
  return {
    pages,
    retry: async delivery => {
      show(await agent.webhooks.retry(webhookId, delivery.id));
      // the attempt is made in any case; its outcome also shows after a reload
      follow(delivery).catch(() => undefined);
    },
    reloadSoon: () => {
      const reload = async () => {
        for (const ms of RELOAD_AFTER_MS) {
          await pause(ms);
          if (!isMounted.current) return;
          await latest.current.reload();
        }
      };
      void reload();
    },
  };
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));
