import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { ListDeliveriesQuery, ReplayBody } from '../bodies.js';
import type { Page } from '../pages.js';
import type { ReplayView, WebhookDeliveryView, WebhookTestView, WebhookWithSecretView } from '../types.js';
import { Resource } from './resource.js';

/**
 * Webhooks, which admins manage. Only the response to `create` has the secret that signs the deliveries: verify them
 * with `verifyWebhook` of `@support-chat/sdk/webhooks`.
 */
export class Webhooks extends Resource<'/v1/webhooks'> {
  /** @param tests waits for servers of the workspace */
  constructor(
    api: AuthorizedApi,
    private readonly tests: AuthorizedApi,
  ) {
    super(api, '/v1/webhooks');
  }

  /** Replaces the secret; for 24 hours the old one signs too. */
  rotateSecret(id: string): Promise<WebhookWithSecretView> {
    return this.api.post(path`/v1/webhooks/${id}/rotate-secret`);
  }

  /** Sends `webhook.test` once, and returns the answer of the endpoint. */
  test(id: string): Promise<WebhookTestView> {
    return this.tests.post(path`/v1/webhooks/${id}/test`);
  }

  /** Newest first; kept for 30 days. */
  deliveries(id: string, query?: ListDeliveriesQuery): Promise<Page<WebhookDeliveryView>> {
    return this.api.get(path`/v1/webhooks/${id}/deliveries`, query);
  }

  /** Makes another attempt at a delivery now. @throws ApiError 409 `webhook_disabled` */
  retry(id: string, deliveryId: string): Promise<WebhookDeliveryView> {
    return this.api.post(path`/v1/webhooks/${id}/deliveries/${deliveryId}/retry`);
  }

  /** Queues earlier events again, with the same `webhook-id`. @throws ApiError 409 `replay_running` */
  replay(id: string, body: ReplayBody): Promise<ReplayView> {
    return this.api.post(path`/v1/webhooks/${id}/replay`, body);
  }
}
