import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { principalKey } from '../../kernel/principal.js';
import { KeyedConcurrencyQueue } from '../../platform/database/keyed-concurrency-queue.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import { ConversationActionsService } from '../conversations/index.js';
import { MessageReadsService } from '../messages/index.js';
import type { BulkAction, BulkOutcome } from './bulk-action.js';

/** Conversations that count as one request. */
const PER_REQUEST = 10;
/** Conversations of one request that are changed at the same time. */
const LANES = 4;
/** Share of the connection pool that all bulk actions of a workspace, and of all workspaces, use on an instance. */
const WORKSPACE_SHARE = 0.15;
const POOL_SHARE = 0.3;
const CONNECTION_WAIT_MS = 20_000;

/** Does one thing to many conversations, each in a unit of work of its own. */
@Injectable()
export class BulkActionsService {
  private readonly workspaces: KeyedConcurrencyQueue;
  private readonly connections: KeyedConcurrencyQueue;

  constructor(
    private readonly actions: ConversationActionsService,
    private readonly reads: MessageReadsService,
    private readonly limiter: RateLimitService,
    { databasePoolSize }: Config,
  ) {
    this.workspaces = new KeyedConcurrencyQueue(Math.max(1, Math.floor(databasePoolSize * WORKSPACE_SHARE)));
    this.connections = new KeyedConcurrencyQueue(Math.max(1, Math.floor(databasePoolSize * POOL_SHARE)));
  }

  /**
   * Acts once on each conversation, also where its id is repeated.
   * @returns outcomes in the order of the ids @throws RateLimited
   */
  async run(principal: StaffPrincipal, ids: readonly string[], action: BulkAction): Promise<BulkOutcome[]> {
    await this.countRequests(principal, ids.length);
    const outcomes = new Map<string, BulkOutcome>();
    const queue = new Set(ids).values();
    const lane = async (): Promise<void> => {
      for (const id of queue) outcomes.set(id, await this.runOne(principal, id, action));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return ids.map(id => outcomes.get(id) ?? { id });
  }

  /** The guard has counted one request. */
  private async countRequests(principal: StaffPrincipal, conversations: number): Promise<void> {
    const more = Math.ceil(conversations / PER_REQUEST) - 1;
    if (more > 0 && principal.kind !== 'system') {
      await this.limiter.consume(principal.kind, principalKey(principal), more);
    }
  }

  private async runOne(principal: StaffPrincipal, id: string, action: BulkAction): Promise<BulkOutcome> {
    try {
      await this.workspaces.run(principal.workspaceId, CONNECTION_WAIT_MS, () =>
        this.connections.run('all', CONNECTION_WAIT_MS, () => this.act(principal, id, action)),
      );
      return { id };
    } catch (error) {
      return { id, error };
    }
  }

  private act(principal: StaffPrincipal, id: string, action: BulkAction): Promise<unknown> {
    switch (action.action) {
      case 'assign':
        return this.actions.assign(principal, id, action.memberId);
      case 'resolve':
        return this.actions.resolve(principal, id);
      case 'reopen':
        return this.actions.reopen(principal, id);
      case 'snooze':
        return this.actions.snooze(principal, id, action.until);
      case 'wake':
        return this.actions.wake(principal, id);
      case 'tag':
        return this.actions.tag(principal, id, action.tag);
      case 'untag':
        return this.actions.untag(principal, id, action.tag);
      case 'priority':
        return this.actions.update(principal, id, { priority: action.priority });
      case 'read':
        return this.reads.read(principal, id, Number.MAX_SAFE_INTEGER);
    }
  }
}
