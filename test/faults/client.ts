import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:http';
import type { Json } from '../support/json.js';
import type { Operation, Outcome } from './history.js';
import { now } from './history.js';

/** How long a client waits before it gives a request up. */
const MAX_WAIT_MS = 4_000;
/** However busy the machine is: for what has to succeed. */
export const ALL_PATIENCE_MS = 30_000;

/** It was the client that ended it. */
class GaveUp extends Error {}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  body: Json;
}

export interface Ask {
  method: string;
  path: string;
  token?: string;
  body?: object;
  headers?: Record<string, string>;
}

/** Requests over connections that are kept; dropped all at once when the seed is over. */
export class Http {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  /** @throws Error when no whole answer came; GaveUp when none came in time */
  ask(url: string, { method, path, token, body, headers }: Ask, ms = MAX_WAIT_MS): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const asked = request(`${url}${path}`, {
        method,
        agent: this.agent,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(text === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      });
      const timer = setTimeout(() => asked.destroy(new GaveUp('no answer in time')), ms);
      asked.on('response', response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('close', () => {
          clearTimeout(timer);
          if (!response.complete) return reject(new Error('half an answer'));
          const whole = Buffer.concat(chunks).toString();
          const { statusCode: status = 0, headers: told } = response;
          resolve({ status, headers: told, text: whole, body: whole.startsWith('{') ? JSON.parse(whole) : null });
        });
      });
      asked.on('error', error => {
        clearTimeout(timer);
        reject(error);
      });
      asked.end(text);
    });
  }

  hangUp(): void {
    this.agent.destroy();
  }
}

/** A request as the history will tell it; what is not said is nothing. */
export type Draft = Pick<Operation, 'kind' | 'who' | 'workspaceId'> & Partial<Operation>;

/** Makes a request and an operation of it. */
export async function perform(
  http: Http,
  instance: { name: string; url: string },
  ask: Ask,
  draft: Draft,
): Promise<{ operation: Operation; answer: Answer | null }> {
  const startedAt = now();
  let gaveUp = false;
  const answer = await http.ask(instance.url, ask).catch((error: unknown) => {
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
    saysWhen: answer?.headers['retry-after'] !== undefined,
    conversationId: answer?.body?.data?.conversation_id ?? draft.conversationId ?? null,
    answer: outcome === 'ok' ? (answer?.body?.data?.id ?? answer?.body?.data?.member?.id ?? null) : null,
    heard: draft.heard && outcome === 'ok' ? { ears: draft.heard.ears, text: answer?.text ?? '' } : null,
  };
  return { operation, answer };
}

/** 429 and 409 `idempotency_in_progress` say "later", as 5xx do: whoever wants it done asks again. */
function outcomeOf(answer: Answer | null): Outcome {
  if (answer === null || answer.status >= 500 || answer.status === 429) return 'unknown';
  if (answer.status < 300) return 'ok';
  return answer.body?.error?.code === 'idempotency_in_progress' ? 'unknown' : 'refused';
}
