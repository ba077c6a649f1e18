import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Histogram, Registry } from 'prom-client';

const BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
/** Route of requests that no route answers: unknown paths, pages, refusals before the routes. */
const NO_ROUTE = 'none';
/** Nest's route for everything below the prefix. */
const ANY_PATH = '*path';

type Observer = ReturnType<Histogram['labels']>;

/** Measures requests by route. */
@Injectable()
export class RequestMetricsService {
  private readonly seconds: Histogram;
  /** By labels, because looking one up costs less than building it. Routes, methods and statuses are few. */
  private readonly observers = new Map<string, Observer>();

  constructor(registry: Registry) {
    this.seconds = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its answer, by route.',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS_SECONDS,
      registers: [registry],
    });
  }

  /** @param status is reported by its hundred: `2xx` */
  observe(request: Request, status: number, seconds: number): void {
    const { path } = (request as { route?: { path?: unknown } }).route ?? {};
    const route = typeof path === 'string' && path !== ANY_PATH ? path : NO_ROUTE;
    this.observerOf(request.method, route, Math.floor(status / 100)).observe(seconds);
  }

  private observerOf(method: string, route: string, hundred: number): Observer {
    const known = METHODS.has(method) ? method : 'other';
    const key = `${known} ${route} ${hundred}`;
    let observer = this.observers.get(key);
    if (!observer) {
      observer = this.seconds.labels(known, route, `${hundred}xx`);
      this.observers.set(key, observer);
    }
    return observer;
  }
}

/** Other methods are the client's words. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);
