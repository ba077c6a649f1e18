import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { AnswerBody } from './answer-body.js';
import type { EndpointConnection } from './endpoint-connection.js';
import { OutboundConnectionsService } from './outbound-connections.service.js';
import { OutboundLimitsPolicy } from './outbound-limits.policy.js';
import { OutboundMetricsService } from './outbound-metrics.service.js';
import type { AnswerHead, OutboundRequest } from './outbound-request.js';
import { EndpointUnreachable } from './outbound.errors.js';
import type { RequestEnding } from './request-ending.js';
import { retryAfterMs } from './retry-after.js';
import { signedHeaders } from './signed-headers.js';

export interface Exchange {
  head: AnswerHead;
  contentType: string;
  body: AnswerBody;
}

const USER_AGENT = 'support-chat/1';

/** Sends one signed request over a connection and has its answer read. */
@Injectable()
export class OutboundExchangeService {
  constructor(
    private readonly connections: OutboundConnectionsService,
    private readonly limits: OutboundLimitsPolicy,
    private readonly clock: Clock,
    private readonly metrics: OutboundMetricsService,
  ) {}

  /**
   * Limits the time to the answer's head by `ending`; the limit stays while `read` runs, unless `read` lifts it. Closes
   * the connection when `read` settles, unless the body has ended.
   * @throws EndpointUnreachable, and the reason of the request's end
   */
  async run<T>(
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
      return this.connections.take(new URL(url));
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
      const { pathname, search } = new URL(request.url);
      const answer = await connection.request(pathname + search, headers, request.body);
      ending.signal.throwIfAborted();
      const latencyMs = Math.round(performance.now() - startedAt);
      this.metrics.observeLatency(latencyMs);
      const retryAfter = retryAfterMs(answer.headers['retry-after'], this.clock.now());
      return {
        head: { status: answer.statusCode, latencyMs, retryAfterMs: retryAfter },
        contentType: [answer.headers['content-type']].flat()[0] ?? '',
        body: new AnswerBody(answer.body, ending),
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
}
