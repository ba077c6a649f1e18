import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { OutboundAgentsService } from './outbound-agents.service.js';

export interface OutboundRequest {
  url: string;
  workspaceId: string;
  id: string;
  secrets: readonly string[];
  body: string;
  signal?: AbortSignal;
}

export interface OutboundAnswer {
  status: number;
  latencyMs: number;
  retryAfterMs: number | null;
  body: string;
}

export class EndpointUnreachable extends Error {
  readonly code = 'endpoint_unreachable';
}

/** Placeholder until the outbound branch is merged. */
@Injectable()
export class OutboundRequestsService {
  constructor(private readonly agents: OutboundAgentsService) {}

  post({ url, id, secrets, body, signal }: OutboundRequest): Promise<OutboundAnswer> {
    const target = new URL(url);
    const begun = performance.now();
    const at = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': secrets.map(secret => new Webhook(secret).sign(id, at, body)).join(' '),
    };
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => reject(new EndpointUnreachable('unreachable', { cause: error }));
      const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
      const request = send(target, {
        method: 'POST',
        headers,
        agent: this.agents.for(target),
        signal,
        timeout: 15_000,
      });
      request.on('timeout', () => request.destroy(new Error('timeout')));
      request.on('error', fail);
      request.on('response', response => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          if (text.length > 262_144) response.destroy();
        });
        response.on('error', () => undefined);
        response.on('close', () => {
          const after = response.headers['retry-after'];
          const retryAfterMs = after && /^\d+$/.test(after) ? Number(after) * 1000 : null;
          const latencyMs = Math.round(performance.now() - begun);
          resolve({ status: response.statusCode ?? 0, latencyMs, retryAfterMs, body: text.slice(0, 1024) });
        });
      });
      request.end(body);
    });
  }
}
