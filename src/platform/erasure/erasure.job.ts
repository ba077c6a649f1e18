import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { SubjectKind } from './erasure-step.registry.js';
import { ErasureStepRegistry } from './erasure-step.registry.js';
import type { ClaimedErasure } from './erasure.repository.js';
import { ErasureRepository } from './erasure.repository.js';

/** Rows per transaction; a slice takes some hundredths of a second. */
const SLICE_ROWS = 500;
/** Interval (ms) at which an instance looks for erasures that another one left unfinished. */
const INTERVAL_MS = 30_000;

/**
 * Scrubs the content of erased subjects in slices, each in a short transaction that also stores the progress. After a
 * crash any instance continues; two instances never process one erasure at the same time.
 */
@Injectable()
export class ErasureJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ErasureJob.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private again = false;
  private stopped = false;
  /** A request that begins an erasure wakes the job, which is no part of that request. */
  private readonly runOutside = AsyncLocalStorage.snapshot();

  constructor(
    private readonly units: UnitOfWork,
    private readonly erasures: ErasureRepository,
    private readonly steps: ErasureStepRegistry,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.wake(), INTERVAL_MS).unref();
    this.wake();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  /**
   * Begins an erasure. The content is hidden from the commit of the current unit of work on, and scrubbed afterwards.
   */
  async begin(workspaceId: string, id: string, kind: SubjectKind, subjectIds: readonly string[]): Promise<void> {
    await this.erasures.begin(workspaceId, id);
    if (subjectIds.length > 0) await this.erasures.add(workspaceId, id, kind, subjectIds);
    this.units.afterCommit(() => this.wake());
  }

  /** Runs until no erasure is left, except those that other instances are processing. */
  async runUntilDone(): Promise<void> {
    while (!this.stopped && (await this.units.run(() => this.runSlice())));
  }

  private wake(): void {
    this.again = true;
    if (this.stopped || this.running) return;
    this.running = this.runOutside(() => this.runPending()).finally(() => (this.running = undefined));
  }

  private async runPending(): Promise<void> {
    while (this.again && !this.stopped) {
      this.again = false;
      await this.runUntilDone().catch((error: unknown) =>
        this.logger.warn(`an erasure failed and will be retried: ${String(error)}`),
      );
    }
  }

  /** Processes one slice of one erasure. @returns false when there is none */
  private async runSlice(): Promise<boolean> {
    const erasure = await this.erasures.claim();
    if (!erasure) return false;
    const subject = await this.erasures.nextSubject(erasure);
    if (!subject) return this.finish(erasure);
    const step = this.steps.find(subject.kind, subject.step);
    if (!step) throw new Error(`no erasure step is registered for a ${subject.kind}`);
    const from = step.name === subject.step ? subject.after : '0';
    const { scrubbed, after } = await step.scrub(subject, from, SLICE_ROWS);
    const next = after === null ? this.steps.findNext(subject.kind, step) : step;
    if (next) await this.erasures.saveProgress(erasure, subject.id, next.name, after ?? '0', scrubbed);
    else await this.erasures.completeSubject(erasure, subject.id, scrubbed);
    return true;
  }

  private async finish(erasure: ClaimedErasure): Promise<boolean> {
    await this.erasures.finish(erasure);
    await this.steps.finish(erasure);
    this.units.afterCommit(() => {
      const seconds = Math.round((Date.now() - erasure.requestedAt.getTime()) / 1_000);
      this.logger.log(`the erasure ${erasure.id} is complete: ${erasure.scrubbed} rows in ${seconds} s`);
    });
    return true;
  }
}
