import { Injectable } from '@nestjs/common';
import { Clock, toWireTime } from '../../kernel/clock.js';
import { Unavailable } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { EventTailJob } from '../../platform/events/event-tail.job.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import {
  EndpointUnreachable,
  OutboundRequestsService,
  OutboundStopped,
} from '../../platform/outbound/outbound-requests.service.js';
import type { WebhookPayload } from './webhook-payloads.service.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';
import type { Webhook } from './webhook.js';
import { WebhooksService } from './webhooks.service.js';

export interface TestResult {
  ok: boolean;
  /** null without an answer. */
  status: number | null;
  latency_ms: number;
  body?: string;
  error?: 'endpoint_unreachable';
}

/** Sends a test event to a webhook at once, enabled or not. It is no delivery and is not repeated. */
@Injectable()
export class WebhookTestsService {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly secrets: WebhookSecretsService,
    private readonly requests: OutboundRequestsService,
    private readonly limiter: RateLimitService,
    private readonly tail: EventTailJob,
    private readonly clock: Clock,
  ) {}

  /** @throws NotFound, RateLimited @throws Unavailable when this instance stops */
  async send(principal: StaffPrincipal, id: string): Promise<TestResult> {
    const webhook = await this.webhooks.get(principal, id);
    const { workspaceId, url } = webhook;
    await this.limiter.consume('endpoint_test', workspaceId);
    const payload = this.payloadFor(webhook);
    const begun = performance.now();
    try {
      const request = { url, workspaceId, id: payload.id, secrets: this.secrets.list(webhook) };
      const { status, latencyMs, body } = await this.requests.post({ ...request, body: JSON.stringify(payload) });
      return { ok: status >= 200 && status < 300, status, latency_ms: latencyMs, body };
    } catch (error) {
      if (error instanceof OutboundStopped) throw new Unavailable({ retryAfter: 1, cause: error });
      if (!(error instanceof EndpointUnreachable)) throw error;
      const latency = Math.round(performance.now() - begun);
      return { ok: false, status: null, latency_ms: latency, error: 'endpoint_unreachable' };
    }
  }

  private payloadFor({ id, workspaceId }: Webhook): WebhookPayload {
    return {
      id: newId(),
      type: 'webhook.test',
      timestamp: toWireTime(this.clock.now()),
      workspace_id: workspaceId,
      cursor: this.tail.cursor,
      data: { webhook_id: id },
    };
  }
}
