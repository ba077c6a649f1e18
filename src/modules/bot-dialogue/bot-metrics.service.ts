import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

@Injectable()
export class BotMetricsService {
  private readonly attempts: Counter;

  constructor(registry: Registry) {
    this.attempts = new Counter({
      name: 'bot_attempts_total',
      help: "Attempts to deliver contacts' messages to bots, by outcome.",
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  /** @param outcome `cancelled`: people took over meanwhile, or another instance did */
  countAttempt(outcome: 'answered' | 'failed' | 'cancelled'): void {
    this.attempts.inc({ outcome });
  }
}
