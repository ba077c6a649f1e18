import { Injectable } from '@nestjs/common';
import type { EventType } from '../../kernel/domain-event.js';
import { CursorInvalid } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { decodeCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { AuditEntryEntity } from './audit-entry.entity.js';
import type { AuditEntry } from './audit-entry.js';

const LIST = 'audit-log';

const DELETE_BEFORE = statement(`
  DELETE FROM audit_entry USING (
    SELECT workspace_id, id FROM audit_entry WHERE recorded_at < $1 ORDER BY recorded_at LIMIT $2
  ) AS old
  WHERE audit_entry.workspace_id = old.workspace_id AND audit_entry.id = old.id`);

export interface AuditQuery {
  limit: number;
  cursor?: string | undefined;
  actions?: readonly EventType[] | undefined;
  actorId?: string | undefined;
  subjectId?: string | undefined;
  /** Inclusive start. */
  since?: Date | undefined;
  /** Exclusive end. */
  until?: Date | undefined;
}

@Injectable()
export class AuditRepository extends WorkspaceRepository<AuditEntryEntity> {
  protected readonly entity = AuditEntryEntity;
  protected readonly alias = 'entry';

  constructor(
    units: UnitOfWork,
    private readonly sql: SqlService,
  ) {
    super(units);
  }

  /** Newest first. @throws CursorInvalid */
  async findPage(principal: Principal, query: AuditQuery): Promise<Page<AuditEntry>> {
    const { limit, cursor, actions, actorId, subjectId, since, until } = query;
    const select = this.visibleTo(principal).limit(limit + 1);
    if (actions) select.andWhere('entry.action = ANY(:actions)', { actions: [...actions] });
    if (actorId !== undefined) select.andWhere('entry.actorId = :actorId', { actorId });
    if (subjectId !== undefined) select.andWhere('entry.subjectId = :subjectId', { subjectId });
    if (since) select.andWhere('entry.recordedAt >= :since', { since });
    if (until) select.andWhere('entry.recordedAt < :until', { until });
    if (cursor !== undefined) {
      const [at, id] = decodeCursor(LIST, cursor, 2);
      if (typeof at !== 'number' || !isId(id)) throw new CursorInvalid();
      select.andWhere('(entry.recordedAt, entry.id) < (:at, :id)', { at: new Date(at), id });
    }
    select.orderBy('entry.recordedAt', 'DESC').addOrderBy('entry.id', 'DESC');
    const rows = await select.getMany();
    return toPage(rows, limit, last => encodeCursor(LIST, [last.recordedAt.getTime(), last.id]));
  }

  async insertAll(entries: AuditEntry[]): Promise<void> {
    await this.rows.insert(entries);
  }

  /** @returns the number of deleted entries; fewer than `limit` if none are left */
  deleteBefore(time: Date, limit: number): Promise<number> {
    return this.sql.count(DELETE_BEFORE, [time, limit]);
  }
}
