import { Injectable } from '@nestjs/common';
import type { ViewSummary } from './view.js';
import type { ViewEvent } from './views.events.js';

/** A change of a view that only its member sees. */
export interface OwnViewChange {
  type: ViewEvent;
  memberId: string;
  view: ViewSummary;
}

/** Hooks that run when a change of a member's own view has committed. They must not throw. */
@Injectable()
export class OwnViewHooks {
  private readonly hooks: ((change: OwnViewChange) => void)[] = [];

  add(hook: (change: OwnViewChange) => void): void {
    this.hooks.push(hook);
  }

  run(change: OwnViewChange): void {
    for (const hook of this.hooks) hook(change);
  }
}
