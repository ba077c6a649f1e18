import { BeforeApplicationShutdown, Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { isEventStream } from './event-stream.js';
import { OutboundConnectionsService } from './outbound-connections.service.js';
import type { Exchange } from './outbound-exchange.service.js';
import { OutboundExchangeService } from './outbound-exchange.service.js';
import { OutboundLimitsPolicy } from './outbound-limits.policy.js';
import { OutboundMetricsService } from './outbound-metrics.service.js';
import type { OutboundAnswer, OutboundRequest, OutboundStream } from './outbound-request.js';
import { EndpointUnreachable } from './outbound.errors.js';
import type { RequestEnding } from './request-ending.js';
import { RequestSlots } from './request-slots.js';
import { RequestsUnderWay } from './requests-under-way.js';

export type { OutboundAnswer, OutboundRequest, OutboundStream } from './outbound-request.js';
export { AnswerTooLarge, EndpointUnreachable, OutboundStopped } from './outbound.errors.js';

/**
 * Sends requests to URLs that users configure (webhooks, bots), signed by the Standard Webhooks scheme. A request waits
 * for its turn (`RequestSlots`), and the wait does not count against its time limits.
 */
@Injectable()
export class OutboundRequestsService implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(OutboundRequestsService.name);
  private readonly slots: RequestSlots;
  private readonly underWay = new RequestsUnderWay();

  constructor(
    private readonly exchanges: OutboundExchangeService,
    private readonly connections: OutboundConnectionsService,
    private readonly limits: OutboundLimitsPolicy,
    private readonly units: UnitOfWork,
    private readonly metrics: OutboundMetricsService,
  ) {
    this.slots = new RequestSlots(limits);
    metrics.observeCounts(this.slots);
  }

  /**
   * Sends and reads the answer's status and beginning, all within 15 s.
   * @throws EndpointUnreachable
   * @throws OutboundStopped when this instance stops first
   * @throws Error in a unit of work, whose connection would be blocked until the other side answers
   */
  post(request: OutboundRequest): Promise<OutboundAnswer> {
    return this.send(request, '*/*', async ({ head, body }) => {
      const { answerBytes, keptBytes } = this.limits;
      return { ...head, body: await body.readBeginning(answerBytes, keptBytes) };
    });
  }

  /**
   * Sends and lets `read` read the answer while it arrives. The head arrives within 15 s, and then a byte at least every
   * 15 s, except in an event stream of a request with a `signal`; the caller limits the whole time by `signal`. The
   * connection is closed when `read` returns or throws, unless the body has ended.
   * @throws EndpointUnreachable
   * @throws OutboundStopped when this instance stops first
   * @throws Error in a unit of work, whose connection would be blocked until the other side answers
   */
  stream<T>(request: OutboundRequest, read: (answer: OutboundStream) => Promise<T>): Promise<T> {
    return this.send(request, 'application/json, text/event-stream', ({ head, contentType, body }, ending) => {
      ending.lift();
      const { answerBytes, gapMs } = this.limits;
      const mayBeSilent = request.signal !== undefined && isEventStream(contentType);
      return read({ ...head, contentType, body: body.read(answerBytes, mayBeSilent ? null : gapMs) });
    });
  }

  beforeApplicationShutdown(): void {
    this.underWay.abortAfter(this.limits.stopMs);
  }

  async onApplicationShutdown(): Promise<void> {
    this.underWay.abortAfter(this.limits.stopMs);
    await this.underWay.drain();
    await this.connections.closeIdle();
  }

  private async send<T>(
    request: OutboundRequest,
    accept: string,
    read: (exchange: Exchange, ending: RequestEnding) => Promise<T>,
  ): Promise<T> {
    this.units.assertNoneActive('a request to another host');
    return this.underWay.run(request.signal, async ending => {
      let status: number | undefined;
      try {
        const result = await this.inSlot(request, ending, async () =>
          this.exchanges.run(request, accept, ending, exchange => {
            status = exchange.head.status;
            return read(exchange, ending);
          }),
        );
        this.countAnswer(status);
        return result;
      } catch (error) {
        this.countFailure(error, status, ending, request.id);
        throw error;
      }
    });
  }

  private async inSlot<T>(request: OutboundRequest, ending: RequestEnding, run: () => Promise<T>): Promise<T> {
    const { workspaceId, isFailing } = request;
    const free = await this.slots.acquire({ workspaceId, origin: originOf(request.url), isFailing }, ending.signal);
    request.onStart?.();
    try {
      return await run();
    } finally {
      free();
    }
  }

  private countAnswer(status: number | undefined): void {
    const isSuccess = status !== undefined && status >= 200 && status < 300;
    this.metrics.count(isSuccess ? 'answered_2xx' : 'answered_other');
  }

  private countFailure(error: unknown, status: number | undefined, ending: RequestEnding, id: string): void {
    if (error instanceof EndpointUnreachable) {
      this.metrics.count('unreachable');
      this.logger.debug(`request ${id} got no answer: ${String(error.cause)}`);
    } else if (ending.signal.aborted) this.metrics.count('aborted');
    else if (status !== undefined) this.countAnswer(status);
  }
}

/** @throws EndpointUnreachable when the text is not a URL */
function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch (error) {
    throw new EndpointUnreachable(error);
  }
}
