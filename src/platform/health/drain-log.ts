import { Logger } from '@nestjs/common';

/** The remaining work of a drain. */
export interface DrainState {
  /** True while the instance answers 503 so that load balancers notice. */
  waitingForBalancers: boolean;
  requests: number;
  sockets: number;
  /** Names of shutdown hooks that have not finished. */
  jobs: string[];
}

const INTERVAL_MS = 1_000;

/** Logs the remaining work of a drain: at the start, once a second when it has changed, and at the end. */
export class DrainLog {
  private readonly logger = new Logger('stop');
  private readonly began = performance.now();
  private timer: NodeJS.Timeout | undefined;
  private lastText = '';

  constructor(private readonly readState: () => DrainState) {}

  begin(): void {
    this.report();
    this.timer = setInterval(() => this.report(), INTERVAL_MS);
    this.timer.unref();
  }

  report(): void {
    const state = this.readState();
    const text = describe(state);
    if (text === this.lastText) return;
    this.lastText = text;
    const { requests, sockets, jobs } = state;
    this.logger.log({ requests, sockets, jobs, msg: text });
  }

  /** Logs requests that are cut off after the time limit. */
  cutOff(requests: number): void {
    if (requests > 0) this.logger.warn(`stopping: cuts off ${count(requests, 'request')} in flight`);
  }

  end(): void {
    clearInterval(this.timer);
    this.logger.log(`drained in ${((performance.now() - this.began) / 1000).toFixed(1)} s`);
  }
}

function describe({ waitingForBalancers: noticing, requests, sockets, jobs }: DrainState): string {
  const parts = [
    ...(noticing ? ['balancers to see /readyz'] : []),
    ...(requests > 0 ? [`${count(requests, 'request')} in flight`] : []),
    ...(sockets > 0 ? [count(sockets, 'socket')] : []),
    ...(jobs.length > 0 ? [`jobs: ${jobs.join(', ')}`] : []),
  ];
  return parts.length > 0 ? `stopping: waits for ${parts.join(', ')}` : 'stopping';
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
