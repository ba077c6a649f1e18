import { Injectable } from '@nestjs/common';

/** The kinds of subjects are two of the routing keys of the event log: a person and a thread. */
export const SUBJECT_KINDS = ['contact', 'conversation'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** A subject whose content is being erased. */
export interface ErasedSubject {
  workspaceId: string;
  id: string;
  kind: SubjectKind;
}

/** The result of one slice of a step. */
export interface Slice {
  /** Number of scrubbed rows. */
  scrubbed: number;
  /** The cursor after which the next slice continues; null when the step is complete. */
  after: string | null;
}

/** Scrubs one kind of stored content of a subject. */
export interface ErasureStep {
  /** Stored with the progress, so it must never change. */
  name: string;
  kinds: readonly SubjectKind[];
  /** Scrubs at most `limit` rows after the cursor, within a unit of work. Must be idempotent. */
  scrub(subject: ErasedSubject, after: string, limit: number): Promise<Slice>;
}

/** An erasure that is complete. */
export interface FinishedErasure {
  workspaceId: string;
  /** Id of the erased person. */
  id: string;
  requestedAt: Date;
  scrubbed: number;
}

/** Registry of the erasure steps. Each module that stores a person's content registers a step. */
@Injectable()
export class ErasureStepRegistry {
  private readonly steps: ErasureStep[] = [];
  private readonly listeners: ((erasure: FinishedErasure) => Promise<void>)[] = [];

  add(step: ErasureStep): void {
    this.steps.push(step);
  }

  /** @param listener runs in the unit of work that finishes the erasure */
  onFinished(listener: (erasure: FinishedErasure) => Promise<void>): void {
    this.listeners.push(listener);
  }

  async finish(erasure: FinishedErasure): Promise<void> {
    for (const listener of this.listeners) await listener(erasure);
  }

  /** Finds a step by name. @param name null for the first step, which is also returned for an unknown name */
  find(kind: SubjectKind, name: string | null): ErasureStep | undefined {
    const steps = this.stepsFor(kind);
    return steps.find(step => step.name === name) ?? steps[0];
  }

  findNext(kind: SubjectKind, step: ErasureStep): ErasureStep | undefined {
    const steps = this.stepsFor(kind);
    return steps[steps.indexOf(step) + 1];
  }

  private stepsFor(kind: SubjectKind): ErasureStep[] {
    return this.steps.filter(({ kinds }) => kinds.includes(kind));
  }
}
