import { Injectable } from '@nestjs/common';

/** The drain state of this instance. Draining begins once and does not end. */
@Injectable()
export class LifecycleService {
  private drainingSince: Date | null = null;

  get draining(): boolean {
    return this.drainingSince !== null;
  }

  drain(): void {
    this.drainingSince ??= new Date();
  }
}
