import { BeforeApplicationShutdown, Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { AnswerBody } from './answer-body.js';
import type { EndpointConnection } from './endpoint-connection.js';
import { OutboundConnectionsService } from './outbound-connections.service.js';
import { OutboundLimitsPolicy } from './outbound-limits.policy.js';
import { OutboundMetricsService } from './outbound-metrics.service.js';
import { EndpointUnreachable } from './outbound.errors.js';
import type { RequestEnding } from './request-ending.js';
import { RequestSlots } from './request-slots.js';
import { RequestsUnderWay } from './requests-under-way.js';
import { retryAfterMs } from './retry-after.js';
import { signedHeaders } from './signed-headers.js';

export { AnswerTooLarge, EndpointUnreachable, OutboundStopped } from './outbound.errors.js';

export interface OutboundRequest {
  url: string;
  /** Whose share of the connections it uses. */
  workspaceId: string;
  /** The `webhook-id` header: the same on every attempt. */
  id: string;
  /** Signing secrets `whsec_…` in plain text, newest first; each adds a signature to `webhook-signature`. */
  secrets: readonly string[];
  /** JSON text. */
  body: string;
  /** Ends the request early, also while it waits for its turn; the caller gets the signal's reason. */
  signal?: AbortSignal;
}

interface AnswerHead {
  status: number;
  /** From the beginning of the attempt to the answer's head, without the wait for a turn. */
  latencyMs: number;
  /** From `Retry-After` (seconds or HTTP date), at most 24 h; null if absent. */
  retryAfterMs: number | null;
}

export interface OutboundAnswer extends AnswerHead {
  /** The first 1 KiB of the answer as text: invalid UTF-8 replaced, never half a character, no NUL. */
  body: string;
}

export interface OutboundStream extends AnswerHead {
  contentType: string;
  /** At most 256 KiB; reading on throws AnswerTooLarge. */
  body: AsyncIterable<Uint8Array>;
}

interface Exchange {
  head: AnswerHead;
  contentType: string;
  body: AnswerBody;
  ending: RequestEnding;
}

const USER_AGENT = 'support-chat/1';

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
    private readonly connections: OutboundConnectionsService,
    private readonly limits: OutboundLimitsPolicy,
    private readonly units: UnitOfWork,
    private readonly clock: Clock,
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
   * 15 s; the caller limits the whole time by `signal`. The connection is closed when `read` returns or throws, unless
   * the body has ended.
   * @throws EndpointUnreachable
   * @throws OutboundStopped when this instance stops first
   * @throws Error in a unit of work, whose connection would be blocked until the other side answers
   */
  stream<T>(request: OutboundRequest, read: (answer: OutboundStream) => Promise<T>): Promise<T> {
    return this.send(request, 'application/json, text/event-stream', ({ head, contentType, body, ending }) => {
      ending.lift();
      const { answerBytes, gapMs } = this.limits;
      return read({ ...head, contentType, body: body.read(answerBytes, gapMs) });
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
    read: (exchange: Exchange) => Promise<T>,
  ): Promise<T> {
    this.units.assertNoneActive('a request to another host');
    return this.underWay.run(request.signal, async ending => {
      let status: number | undefined;
      try {
        const result = await this.inSlot(request, ending, async () =>
          this.exchange(request, accept, ending, exchange => {
            status = exchange.head.status;
            return read(exchange);
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
    const { origin } = parsed(request.url);
    const free = await this.slots.acquire({ workspaceId: request.workspaceId, origin }, ending.signal);
    try {
      return await run();
    } finally {
      free();
    }
  }

  private async exchange<T>(
    request: OutboundRequest,
    accept: string,
    ending: RequestEnding,
    read: (exchange: Exchange) => Promise<T>,
  ): Promise<T> {
    ending.signal.throwIfAborted();
    const headers = this.headers(request, accept);
    const connection = this.connect(request.url);
    const close = (): void => void connection.close();
    ending.signal.addEventListener('abort', close, { once: true });
    let body: AnswerBody | undefined;
    try {
      const exchange = await this.awaitHead(connection, request, headers, ending);
      ({ body } = exchange);
      return await read(exchange);
    } finally {
      ending.signal.removeEventListener('abort', close);
      if (body?.ended) this.connections.keep(connection);
      else close();
    }
  }

  private connect(url: string): EndpointConnection {
    try {
      return this.connections.take(parsed(url));
    } catch (error) {
      throw new EndpointUnreachable(error);
    }
  }

  private async awaitHead(
    connection: EndpointConnection,
    request: OutboundRequest,
    headers: Record<string, string>,
    ending: RequestEnding,
  ): Promise<Exchange> {
    const { answerMs } = this.limits;
    const startedAt = performance.now();
    ending.limit(answerMs, () => new EndpointUnreachable(new Error(`no answer within ${answerMs} ms`)));
    try {
      const { pathname, search } = parsed(request.url);
      const answer = await connection.request(pathname + search, headers, request.body);
      ending.signal.throwIfAborted();
      const latencyMs = Math.round(performance.now() - startedAt);
      this.metrics.observeLatency(latencyMs);
      const retryAfter = retryAfterMs(answer.headers['retry-after'], this.clock.now());
      return {
        head: { status: answer.statusCode, latencyMs, retryAfterMs: retryAfter },
        contentType: [answer.headers['content-type']].flat()[0] ?? '',
        body: new AnswerBody(answer.body, ending),
        ending,
      };
    } catch (error) {
      throw ending.signal.aborted ? ending.signal.reason : new EndpointUnreachable(error);
    }
  }

  private headers(request: OutboundRequest, accept: string): Record<string, string> {
    return {
      accept,
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      ...signedHeaders(request, this.clock.now()),
    };
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
function parsed(url: string): URL {
  try {
    return new URL(url);
  } catch (error) {
    throw new EndpointUnreachable(error);
  }
}
