import { Injectable } from '@nestjs/common';
import type { EntityTarget, ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import type { Principal } from '../../kernel/principal.js';
import { UnitOfWork } from './unit-of-work.js';
import { isVisible, visibilityOf } from './visibility.js';

/** The entity properties that hold a row's channel and contact. Without `contact`, visitors see no rows. */
export interface RowScope {
  channel?: string;
  contact?: string;
}

/** Parameters of `visibleTo`, for further conditions of its query. */
export const CALLER = {
  workspace: ':workspaceId',
  contact: 'CAST(:callerContact AS uuid)',
  channels: 'CAST(:callerChannels AS uuid[])',
};

/**
 * Base class of repositories for rows of a workspace. Every query on behalf of a caller is limited to the rows that it
 * may see, so a row of another workspace, or of a channel outside its scope, is not found.
 */
@Injectable()
export abstract class WorkspaceRepository<Row extends ObjectLiteral & { id: string; workspaceId: string }> {
  protected abstract readonly entity: EntityTarget<Row>;
  /** The table alias in queries of `visibleTo`. */
  protected abstract readonly alias: string;
  protected readonly scopeColumns: RowScope = {};

  constructor(protected readonly units: UnitOfWork) {}

  /** Starts a query for the rows that the caller may see. All queries on behalf of a caller start here. */
  visibleTo(principal: Principal): SelectQueryBuilder<Row> {
    const { workspaceId, contactId, channels } = visibilityOf(principal);
    const column = (name: string | undefined) => name && `${this.alias}.${name}`;
    const { channel, contact } = this.scopeColumns;
    const row = { workspace: `${this.alias}.workspaceId`, channel: column(channel), contact: column(contact) };
    return this.rows
      .createQueryBuilder(this.alias)
      .where(isVisible(row, CALLER), { workspaceId, callerContact: contactId, callerChannels: channels });
  }

  findVisible(principal: Principal, id: string): Promise<Row | null> {
    return this.visibleTo(principal).andWhere(`${this.alias}.id = :id`, { id }).getOne();
  }

  /**
   * Finds a visible row and locks it until the unit of work ends, so that a concurrent change waits and then sees the
   * result. Rows that refer to it can still be inserted meanwhile.
   */
  lockVisible(principal: Principal, id: string): Promise<Row | null> {
    return this.visibleTo(principal).andWhere(`${this.alias}.id = :id`, { id }).setLock('for_no_key_update').getOne();
  }

  /** Like `lockVisible`, but does not wait. @returns null also if another transaction has locked the row */
  tryLockVisible(principal: Principal, id: string): Promise<Row | null> {
    return this.visibleTo(principal)
      .andWhere(`${this.alias}.id = :id`, { id })
      .setLock('for_no_key_update')
      .setOnLocked('skip_locked')
      .getOne();
  }

  async insert(row: Row): Promise<Row> {
    await this.rows.insert(row);
    return row;
  }

  /**
   * Writes the current values of a row that was read with `lockVisible` in the same unit of work. TypeORM's `save`
   * would read the row again to compare it, and fails on JSON objects with arbitrary keys.
   */
  async save(row: Row): Promise<Row> {
    const { workspaceId, id, ...columns } = row;
    await this.rows.update({ workspaceId, id } as never, columns as never);
    return row;
  }

  async remove(row: Row): Promise<void> {
    await this.rows.delete({ workspaceId: row.workspaceId, id: row.id } as never);
  }

  protected get rows(): Repository<Row> {
    return this.units.manager.getRepository(this.entity);
  }
}
