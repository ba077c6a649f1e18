import { Injectable } from '@nestjs/common';

export type SubjectKind = 'contact' | 'conversation';

/** A contact or conversation whose content is to go. */
export interface ErasedSubject {
  workspaceId: string;
  id: string;
  kind: SubjectKind;
}

/** A slice of a step: how many rows it has scrubbed, and the mark to go on after; null when nothing is left. */
export interface Slice {
  scrubbed: number;
  after: string | null;
}

/** One place in which a subject's content is kept. */
export interface ErasureStep {
  /** Stored with the progress, so it never changes. */
  name: string;
  kinds: readonly SubjectKind[];
  /** Scrubs at most `limit` rows after the mark, as part of a unit of work. Doing a slice twice changes nothing. */
  scrub(subject: ErasedSubject, after: string, limit: number): Promise<Slice>;
}

/** An erasure of which nothing is left to scrub. */
export interface FinishedErasure {
  workspaceId: string;
  /** The contact. */
  id: string;
  requestedAt: Date;
  scrubbed: number;
}

/** The places in which erased content is kept, registered by those who keep it. */
@Injectable()
export class ErasureSteps {
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

  /** @param name null for the first; one that no longer exists begins again, for slices may be done twice */
  find(kind: SubjectKind, name: string | null): ErasureStep | undefined {
    const steps = this.of(kind);
    return steps.find(step => step.name === name) ?? steps[0];
  }

  findNext(kind: SubjectKind, step: ErasureStep): ErasureStep | undefined {
    const steps = this.of(kind);
    return steps[steps.indexOf(step) + 1];
  }

  private of(kind: SubjectKind): ErasureStep[] {
    return this.steps.filter(({ kinds }) => kinds.includes(kind));
  }
}
