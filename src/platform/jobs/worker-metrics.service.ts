import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';

/** `locked`: another transaction held the row. */
export type WorkOutcome = 'done' | 'locked' | 'failed';

@Injectable()
export class WorkerMetricsService {
  private readonly rows: Counter;
  private readonly due: Gauge;
  private readonly age: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.rows = new Counter({
      name: 'worker_rows_total',
      help: 'Due rows that this instance worked off, found locked or failed at.',
      labelNames: ['worker', 'outcome'],
      registers,
    });
    this.due = new Gauge({
      name: 'worker_due_rows',
      help: 'Rows that are due and not worked off; counting stops at 1,000.',
      labelNames: ['worker'],
      registers,
    });
    this.age = new Gauge({
      name: 'worker_oldest_due_seconds',
      help: 'For how long the oldest due row has been due; 0 when there is none.',
      labelNames: ['worker'],
      registers,
    });
  }

  count(worker: string, outcome: WorkOutcome): void {
    this.rows.inc({ worker, outcome });
  }

  setBacklog(worker: string, count: number, ageSeconds: number): void {
    this.due.set({ worker }, count);
    this.age.set({ worker }, Math.max(0, ageSeconds));
  }
}
