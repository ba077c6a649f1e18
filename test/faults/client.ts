import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:http';
import type { Json } from '../support/json.js';
import type { Operation, Outcome } from './history.js';
import { now } from './history.js';

/** Time after which a client gives a request up. */
const MAX_WAIT_MS = 4_000;
/** For requests that must succeed even on a busy machine. */
export const ALL_PATIENCE_MS = 30_000;

/** The client itself aborted the request. */
class GaveUp extends Error {}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  body: Json;
}

export interface RequestSpec {
  method: string;
  path: string;
  token?: string;
  body?: object;
  headers?: Record<string, string>;
}

/** Requests over keep-alive connections, which are closed when the seed is over. */
export class Http {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  /** @throws Error if the response is missing or incomplete; GaveUp if it did not arrive in time */
  send(url: string, { method, path, token, body, headers }: RequestSpec, ms = MAX_WAIT_MS): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const outgoing = request(`${url}${path}`, {
        method,
        agent: this.agent,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(text === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      });
      const timer = setTimeout(() => outgoing.destroy(new GaveUp('no response in time')), ms);
      outgoing.on('response', response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('close', () => {
          clearTimeout(timer);
          if (!response.complete) return reject(new Error('incomplete response'));
          const whole = Buffer.concat(chunks).toString();
          const { statusCode: status = 0, headers: responseHeaders } = response;
          resolve({
            status,
            headers: responseHeaders,
            text: whole,
            body: whole.startsWith('{') ? JSON.parse(whole) : null,
          });
        });
      });
      outgoing.on('error', error => {
        clearTimeout(timer);
        reject(error);
      });
      outgoing.end(text);
    });
  }

  hangUp(): void {
    this.agent.destroy();
  }
}

/** A request for the history; missing fields are null. */
export type Draft = Pick<Operation, 'kind' | 'actor' | 'workspaceId'> & Partial<Operation>;

/** Sends a request and records it as an operation. */
export async function perform(
  http: Http,
  instance: { name: string; url: string },
  spec: RequestSpec,
  draft: Draft,
): Promise<{ operation: Operation; answer: Answer | null }> {
  const startedAt = now();
  let gaveUp = false;
  const answer = await http.send(instance.url, spec).catch((error: unknown) => {
    gaveUp = error instanceof GaveUp;
    return null;
  });
  const outcome = outcomeOf(answer);
  const operation: Operation = {
    key: null,
    content: null,
    ends: null,
    ...draft,
    instance: instance.name,
    startedAt,
    endedAt: now(),
    outcome,
    status: answer?.status ?? 0,
    gaveUp,
    hasRetryAfter: answer?.headers['retry-after'] !== undefined,
    conversationId: answer?.body?.data?.conversation_id ?? draft.conversationId ?? null,
    answer: outcome === 'ok' ? (answer?.body?.data?.id ?? answer?.body?.data?.member?.id ?? null) : null,
    visibleText:
      draft.visibleText && outcome === 'ok'
        ? { visibility: draft.visibleText.visibility, text: answer?.text ?? '' }
        : null,
  };
  return { operation, answer };
}

/** 429 and 409 `idempotency_in_progress` mean "retry later", as 5xx do. */
function outcomeOf(answer: Answer | null): Outcome {
  if (answer === null || answer.status >= 500 || answer.status === 429) return 'unknown';
  if (answer.status < 300) return 'ok';
  return answer.body?.error?.code === 'idempotency_in_progress' ? 'unknown' : 'refused';
}
