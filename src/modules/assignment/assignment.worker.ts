import { Injectable } from '@nestjs/common';
import { NIL_ID } from '../../kernel/ids.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { PostponedRows } from '../../platform/jobs/postponed-rows.js';
import { MemberPresenceService } from '../members/index.js';
import type { NextAssignment } from './assignment-requests.repository.js';
import { AssignmentRequestsRepository } from './assignment-requests.repository.js';
import type { AssignmentOutcome } from './assignments.service.js';
import { AssignmentsService } from './assignments.service.js';

/** Assignments in one workspace before the others have their turn. */
const SHARE = 5;
/** Interval of looks at all workspaces. It is the fallback for what nobody wakes this instance for. */
const LOOK_MS = 900;
/** Workspaces in one such look; the next one goes on after them. */
const WORKSPACES = 1_000;
/** Locked conversations that are passed over. */
const MAX_LOCKED = 20;
/** Pause before locked conversations are tried again. */
const LOCKED_MS = 100;

/**
 * Assigns waiting conversations to free members. Its rows are workspaces: it looks at one when a conversation begins to
 * wait there or a member may have become free, and at all of them about once a second.
 *
 * Every instance assigns to the members whose connections it knows. Without Redis these are its own.
 */
@Injectable()
export class AssignmentWorker extends DueWorker<DueRow> {
  protected readonly name = 'assignments';
  protected override readonly concurrency = 4;
  private readonly queued = new Set<string>();
  private lookedAt = -Infinity;
  /** Where the last look at all workspaces ended. */
  private lookedUntil = NIL_ID;
  /** Workspaces with locked conversations that are tried again soon. */
  private readonly retried = new Set<string>();
  private readonly failed = new PostponedRows();

  constructor(
    dependencies: WorkerDependencies,
    private readonly requests: AssignmentRequestsRepository,
    private readonly assignments: AssignmentsService,
    private readonly presence: MemberPresenceService,
  ) {
    super(dependencies);
  }

  /** Looks at the workspace now. */
  wakeFor(workspaceId: string): void {
    this.queued.add(workspaceId);
    this.wake();
  }

  protected async claim({ exceptIds, limit }: DueQuery): Promise<DueRow[]> {
    if (performance.now() - this.lookedAt >= LOOK_MS) await this.queueWaiting();
    const rows: DueRow[] = [];
    for (const id of this.queued) {
      if (rows.length >= limit) break;
      this.queued.delete(id);
      if (!exceptIds.includes(id)) rows.push({ id, workspaceId: id });
    }
    return rows;
  }

  protected async work({ workspaceId }: DueRow): Promise<boolean> {
    const locked: string[] = [];
    const failed = this.failed.ids();
    let settled = 0;
    while (settled < SHARE && locked.length < MAX_LOCKED) {
      const connectedIds = this.presence.listConnected(workspaceId);
      if (connectedIds.length === 0) return true;
      const next = await this.requests.findNext(workspaceId, connectedIds, [...failed, ...locked]);
      if (!next) return this.retrySoon(workspaceId, locked);
      if ((await this.assign(workspaceId, next)) === 'locked') locked.push(next.conversationId);
      else settled += 1;
    }
    if (settled === SHARE) this.queued.add(workspaceId);
    return this.retrySoon(workspaceId, locked);
  }

  protected measure(): Promise<Backlog> {
    return this.requests.measure();
  }

  /** A conversation that cannot be assigned is retried later and delays no other. */
  private async assign(workspaceId: string, next: NextAssignment): Promise<AssignmentOutcome> {
    try {
      const outcome = await this.assignments.assign(workspaceId, next);
      this.failed.remove(next.conversationId);
      return outcome;
    } catch (error) {
      const pause = this.failed.addFailed(next.conversationId);
      this.logger.warn(
        `conversation ${next.conversationId} cannot be assigned and is retried in ${pause / 1_000} s: ${String(error)}`,
      );
      return 'locked';
    }
  }

  private async queueWaiting(): Promise<void> {
    this.lookedAt = performance.now();
    await this.requests.expireKept();
    const ids = await this.requests.findWorkspaces(this.lookedUntil, WORKSPACES);
    this.lookedUntil = ids.length < WORKSPACES ? NIL_ID : (ids.at(-1) ?? NIL_ID);
    for (const id of ids) this.queued.add(id);
  }

  private retrySoon(workspaceId: string, locked: readonly string[]): boolean {
    if (locked.length === 0 || this.retried.has(workspaceId)) return true;
    this.retried.add(workspaceId);
    setTimeout(() => {
      this.retried.delete(workspaceId);
      this.wakeFor(workspaceId);
    }, LOCKED_MS).unref();
    return true;
  }
}
