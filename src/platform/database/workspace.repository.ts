import { Injectable } from '@nestjs/common';
import type { EntityTarget, ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import type { Principal } from '../../kernel/principal.js';
import { scopeOf } from '../../kernel/principal.js';
import { UnitOfWork } from './unit-of-work.js';

/** Which properties of a row place it. `contact` is what a visitor may see it by; without it visitors see nothing. */
export interface RowScope {
  channel?: string;
  contact?: string;
}

/**
 * The second lock: whatever a caller asks for is looked for among the rows that it may see, so another workspace's
 * row, or one of a channel outside the caller's scope, is simply not there.
 */
@Injectable()
export abstract class WorkspaceRepository<Row extends ObjectLiteral & { id: string; workspaceId: string }> {
  protected abstract readonly entity: EntityTarget<Row>;
  /** The alias that `visibleTo` gives to the table. */
  protected abstract readonly alias: string;
  protected readonly scopeColumns: RowScope = {};

  constructor(protected readonly units: UnitOfWork) {}

  /** The only way to start a query on behalf of a caller. */
  visibleTo(principal: Principal): SelectQueryBuilder<Row> {
    const query = this.rows.createQueryBuilder(this.alias);
    query.where(`${this.alias}.workspaceId = :workspaceId`, { workspaceId: principal.workspaceId });
    if (principal.kind === 'visitor') {
      if (!this.scopeColumns.contact) return query.andWhere('false');
      query.andWhere(`${this.alias}.${this.scopeColumns.contact} = :contactId`, { contactId: principal.contactId });
    }
    const scope = scopeOf(principal);
    if (scope !== null && this.scopeColumns.channel) {
      query.andWhere(`${this.alias}.${this.scopeColumns.channel} = ANY(:scopeChannels)`, { scopeChannels: [...scope] });
    }
    return query;
  }

  findVisible(principal: Principal, id: string): Promise<Row | null> {
    return this.visibleTo(principal).andWhere(`${this.alias}.id = :id`, { id }).getOne();
  }

  /**
   * The row, locked until the unit of work ends: of two who change it at once, the second finds what the first left.
   * Rows that refer to it are free to come meanwhile.
   */
  lockVisible(principal: Principal, id: string): Promise<Row | null> {
    return this.visibleTo(principal).andWhere(`${this.alias}.id = :id`, { id }).setLock('for_no_key_update').getOne();
  }

  async insert(row: Row): Promise<Row> {
    await this.rows.insert(row);
    return row;
  }

  /**
   * Writes the row's present values. The caller has read it through `lockVisible` in the same unit of work. The ORM's own
   * `save` would read the row once more to compare it, and trips over an object that customers name the keys of.
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
