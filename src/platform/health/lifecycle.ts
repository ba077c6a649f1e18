import { Injectable } from '@nestjs/common';

/** Whether this instance takes new work. Draining begins once and does not end. */
@Injectable()
export class Lifecycle {
  private drainingSince: Date | null = null;

  get draining(): boolean {
    return this.drainingSince !== null;
  }

  drain(): void {
    this.drainingSince ??= new Date();
  }
}
