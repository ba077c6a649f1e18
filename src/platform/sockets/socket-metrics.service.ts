import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { closeCodes } from '../../kernel/close-codes.js';
import type { SocketConnection } from './socket-connection.js';
import { SocketHub } from './socket-hub.js';

/** Codes of clients and proxies: normal ends and lost connections. */
const CLIENT_CODES = [1000, 1001, 1005, 1006];
const CODES = new Set([...CLIENT_CODES, ...closeCodes().map(({ code }) => code)]);

/** Shows open and closed sockets in `/metrics`. */
@Injectable()
export class SocketMetricsService {
  private readonly closed: Counter;

  constructor(registry: Registry, hub: SocketHub) {
    new Gauge({
      name: 'sockets_open',
      help: 'Open sockets of this instance, by kind of principal.',
      labelNames: ['principal'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [principal, count] of countByPrincipal(hub.connections)) this.set({ principal }, count);
      },
    });
    this.closed = new Counter({
      name: 'sockets_closed_total',
      help: 'Sockets that were closed, by close code.',
      labelNames: ['code'],
      registers: [registry],
    });
  }

  /** @param code may be any number that a client sends */
  countClosed(code: number): void {
    this.closed.inc({ code: CODES.has(code) ? String(code) : 'other' });
  }
}

function countByPrincipal(connections: Iterable<SocketConnection>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { admission } of connections) {
    const { kind } = admission.principal;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
