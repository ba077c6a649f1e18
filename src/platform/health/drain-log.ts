import { Logger } from '@nestjs/common';

/** The remaining work of a drain. */
export interface DrainState {
  /** true while the instance still answers 503 so that balancers see it */
  waitingForBalancers: boolean;
  requests: number;
  sockets: number;
  /** names of shutdown hooks that have not returned */
  jobs: string[];
}

const EVERY_MS = 1_000;

/** Logs what a drain waits for: at its start, then once a second if that has changed, and at its end. */
export class DrainLog {
  private readonly logger = new Logger('stop');
  private readonly began = performance.now();
  private timer: NodeJS.Timeout | undefined;
  private last = '';

  constructor(private readonly look: () => DrainState) {}

  begin(): void {
    this.report();
    this.timer = setInterval(() => this.report(), EVERY_MS);
    this.timer.unref();
  }

  report(): void {
    const state = this.look();
    const sentence = describe(state);
    if (sentence === this.last) return;
    this.last = sentence;
    const { requests, sockets, jobs } = state;
    this.logger.log({ requests, sockets, jobs, msg: sentence });
  }

  /** @param requests that have no answer though their time is over */
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
