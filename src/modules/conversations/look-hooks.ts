import { Injectable } from '@nestjs/common';
import type { ParticipantKey } from './participant.js';

export type LookHook = (look: ParticipantKey, seq: number) => Promise<void>;

/** Hooks that run when a member has looked at a conversation up to a `seq`, in the same unit of work. */
@Injectable()
export class LookHooks {
  private readonly hooks: LookHook[] = [];

  add(hook: LookHook): void {
    this.hooks.push(hook);
  }

  async run(look: ParticipantKey, seq: number): Promise<void> {
    for (const hook of this.hooks) await hook(look, seq);
  }
}
