import { Injectable, Logger } from '@nestjs/common';
import { Clock, toWireTime } from '../../kernel/clock.js';
import {
  EndpointUnreachable,
  OutboundRequestsService,
  OutboundStopped,
} from '../../platform/outbound/outbound-requests.service.js';
import type { AttemptResult } from './attempt-results.repository.js';
import { AttemptResultsRepository } from './attempt-results.repository.js';
import type { Attempt, AttemptError, DeliveryStatus } from './delivery.js';
import { MAX_ATTEMPTS_KEPT } from './delivery.js';
import { DeliveryMetricsService } from './delivery-metrics.service.js';
import type { PreparedAttempt } from './prepared-attempts.repository.js';
import { PreparedAttemptsRepository } from './prepared-attempts.repository.js';
import { retryPause } from './retry-schedule.js';
import { WebhookDisablingService } from './webhook-disabling.service.js';
import { WebhookPayloadsService } from './webhook-payloads.service.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';

/** `skipped`: there was nothing to send any more, or the attempt was cancelled. */
export interface AttemptOutcome {
  result: 'delivered' | 'failed' | 'skipped';
  latencyMs: number;
}

/** The endpoint's answer, or why there is none. */
interface Answer {
  status: number | null;
  latencyMs: number;
  retryAfterMs: number | null;
  error?: AttemptError;
}

const GONE = 410;
const SKIPPED: AttemptOutcome = { result: 'skipped', latencyMs: 0 };
const withoutAnswer = (error: AttemptError, latencyMs = 0): Answer => ({
  status: null,
  latencyMs,
  retryAfterMs: null,
  error,
});

/** Makes one attempt of a delivery and writes its result. No connection is held while the endpoint answers. */
@Injectable()
export class AttemptsService {
  private readonly logger = new Logger(AttemptsService.name);

  constructor(
    private readonly prepared: PreparedAttemptsRepository,
    private readonly payloads: WebhookPayloadsService,
    private readonly secrets: WebhookSecretsService,
    private readonly requests: OutboundRequestsService,
    private readonly results: AttemptResultsRepository,
    private readonly disabling: WebhookDisablingService,
    private readonly metrics: DeliveryMetricsService,
    private readonly clock: Clock,
  ) {}

  /** @throws the error of a statement; the attempt is then repeated later */
  async perform(workspaceId: string, id: string, signal: AbortSignal): Promise<AttemptOutcome> {
    const attempt = await this.prepared.load(workspaceId, id);
    if (!attempt || signal.aborted) return SKIPPED;
    const at = this.clock.now();
    const answer = await this.send(attempt, signal);
    if (answer === null) return SKIPPED;
    const status = await this.writeResult(attempt, { workspaceId, id, at }, answer);
    if (!judgesEndpoint(answer)) return SKIPPED;
    this.metrics.record(status);
    await this.disableIfNeeded(attempt, status, answer);
    return { result: status === 'delivered' ? 'delivered' : 'failed', latencyMs: answer.latencyMs };
  }

  private async disableIfNeeded(attempt: PreparedAttempt, status: DeliveryStatus, answer: Answer): Promise<void> {
    const { webhookId, url, failingSince, event } = attempt;
    if (answer.status === GONE) await this.disabling.disableGone(event.workspaceId, webhookId, url);
    else if (status !== 'delivered') await this.disabling.disableFailing(event.workspaceId, webhookId, failingSince);
  }

  /** @returns null if the attempt was cancelled */
  private async send(attempt: PreparedAttempt, signal: AbortSignal): Promise<Answer | null> {
    const body = this.render(attempt);
    if (body === null) return withoutAnswer('not_selected');
    if (body === undefined) return withoutAnswer('internal_error');
    const { url, event, failingSince } = attempt;
    const { workspaceId, id } = event;
    const begun = performance.now();
    try {
      const secrets = this.secrets.list(attempt);
      return await this.requests.post({
        url,
        workspaceId,
        isFailing: failingSince !== null,
        id,
        secrets,
        body,
        signal,
      });
    } catch (error) {
      if (signal.aborted || error instanceof OutboundStopped) return null;
      if (!(error instanceof EndpointUnreachable)) throw error;
      return withoutAnswer('endpoint_unreachable', Math.round(performance.now() - begun));
    }
  }

  /** @returns null if the webhook may see nothing of the event; undefined if it cannot be rendered */
  private render(attempt: PreparedAttempt): string | null | undefined {
    try {
      const payload = this.payloads.render(attempt, attempt.event, attempt.cursor);
      return payload && JSON.stringify(payload);
    } catch (error) {
      this.logger.error(`event ${attempt.event.id} cannot be rendered: ${String(error)}`);
      return undefined;
    }
  }

  private async writeResult(
    { attempts, attemptCount, webhookId }: PreparedAttempt,
    delivery: Pick<AttemptResult, 'workspaceId' | 'id' | 'at'>,
    answer: Answer,
  ): Promise<DeliveryStatus> {
    const pause = isFinal(answer) ? null : retryPause(attemptCount + 1, answer.retryAfterMs);
    const status: DeliveryStatus = isSuccess(answer) ? 'delivered' : pause === null ? 'failed' : 'pending';
    const dueAt = pause === null ? null : new Date(this.clock.now().getTime() + pause);
    const made: Attempt = {
      at: toWireTime(delivery.at),
      status: answer.status,
      latency_ms: answer.latencyMs,
      ...(answer.error && { error: answer.error }),
    };
    const kept = [...attempts, made].slice(-MAX_ATTEMPTS_KEPT);
    const judges = judgesEndpoint(answer);
    const result = { ...delivery, webhookId, attemptCount, status, attempts: kept, dueAt, judgesEndpoint: judges };
    await this.results.write(result);
    return status;
  }
}

function isSuccess({ status }: Answer): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** After such an answer no attempt follows. */
function isFinal(answer: Answer): boolean {
  return isSuccess(answer) || answer.status === GONE || answer.error === 'not_selected';
}

/** False where nothing was sent. */
function judgesEndpoint({ error }: Answer): boolean {
  return error === undefined || error === 'endpoint_unreachable';
}
