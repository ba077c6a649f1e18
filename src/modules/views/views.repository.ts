import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { In } from 'typeorm';
import { CursorInvalid } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { decodeCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import { violates } from '../../platform/database/database-errors.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { LOCK_WORKSPACE } from '../../platform/database/workspace-lock.js';
import { ViewEntity } from './view.entity.js';
import type { View } from './view.js';
import { ViewNameTaken } from './views.errors.js';

const LIST = 'views';
/** Number and last position of an owner's views; of the shared ones for null. */
const USAGE = statement(`
  SELECT count(*)::int AS count, coalesce(max(position), -1)::int AS last FROM inbox_view
  WHERE workspace_id = $1 AND CASE WHEN $2::uuid IS NULL THEN shared ELSE NOT shared AND created_by = $2 END`);
/** Removes filters that name one of the contacts, and searches for one of the person's words. */
const SCRUB = statement(`
  UPDATE inbox_view
  SET filters = filters
        || CASE WHEN filters ->> 'contact_id' = ANY($2) THEN '{"contact_id": null}'::jsonb ELSE '{}' END
        || CASE WHEN has_words THEN '{"query": null}'::jsonb ELSE '{}' END
  FROM (
    SELECT workspace_id, id,
      EXISTS (SELECT FROM unnest($3::text[]) AS phrase WHERE position(phrase IN lower(filters ->> 'query')) > 0)
        OR regexp_split_to_array(lower(filters ->> 'query'), '\\s+') && $4::text[] AS has_words
    FROM inbox_view WHERE workspace_id = $1 AND (filters ? 'contact_id' OR filters ? 'query')
  ) AS searched
  WHERE inbox_view.workspace_id = searched.workspace_id AND inbox_view.id = searched.id
    AND (filters ->> 'contact_id' = ANY($2) OR has_words)
  RETURNING inbox_view.id`);

const REPLACE_CONTACT = statement(`
  UPDATE inbox_view SET filters = filters || jsonb_build_object('contact_id', $3::text)
  WHERE workspace_id = $1 AND filters ->> 'contact_id' = $2::text`);

/** Texts by which a person is found: whole phrases, and single words of them. */
export interface PersonWords {
  contactIds: readonly string[];
  phrases: readonly string[];
  words: readonly string[];
}

@Injectable()
export class ViewsRepository extends WorkspaceRepository<ViewEntity> {
  protected readonly entity = ViewEntity;
  protected readonly alias = 'view';

  constructor(
    units: UnitOfWork,
    private readonly sql: SqlService,
  ) {
    super(units);
  }

  /** Shared views and the caller's own. */
  override visibleTo(principal: Principal): SelectQueryBuilder<ViewEntity> {
    const me = principal.kind === 'agent' ? principal.memberId : null;
    return super
      .visibleTo(principal)
      .andWhere('(view.shared OR view.createdBy = CAST(:viewOwner AS uuid))', { viewOwner: me });
  }

  /** By position. @throws CursorInvalid */
  async findPage(principal: Principal, { limit, cursor }: PageRequest): Promise<Page<View>> {
    const select = this.visibleTo(principal)
      .orderBy('view.position')
      .addOrderBy('view.id')
      .limit(limit + 1);
    if (cursor !== undefined) {
      const [position, id] = decodeCursor(LIST, cursor, 2);
      if (!Number.isInteger(position) || !isId(id)) throw new CursorInvalid();
      select.andWhere('(view.position, view.id) > (:position, :last)', { position, last: id });
    }
    return toPage(await select.getMany(), limit, last => encodeCursor(LIST, [last.position, last.id]));
  }

  findAll(principal: Principal): Promise<View[]> {
    return this.visibleTo(principal).orderBy('view.position').addOrderBy('view.id').getMany();
  }

  /** Locks the workspace's views against new ones, so that their number stays. */
  async lockList(workspaceId: string): Promise<void> {
    await this.sql.count(LOCK_WORKSPACE, [workspaceId]);
  }

  /** @param owner null for the shared views */
  async findUsage(workspaceId: string, owner: string | null): Promise<{ count: number; last: number }> {
    const usage = await this.sql.first<{ count: number; last: number }>(USAGE, [workspaceId, owner]);
    return usage ?? { count: 0, last: -1 };
  }

  /** Removes what would name an erased person. @returns the changed views */
  async scrub(workspaceId: string, { contactIds, phrases, words }: PersonWords): Promise<View[]> {
    const rows = await this.sql.rows<{ id: string }>(SCRUB, [workspaceId, contactIds, phrases, words]);
    return this.rows.findBy({ workspaceId, id: In(rows.map(({ id }) => id)) });
  }

  /** Replaces a merged contact in the filters. */
  async replaceContact(workspaceId: string, from: string, into: string): Promise<void> {
    await this.sql.count(REPLACE_CONTACT, [workspaceId, from, into]);
  }

  /** @throws ViewNameTaken */
  override insert(row: ViewEntity): Promise<ViewEntity> {
    return super.insert(row).catch(throwNameTaken);
  }

  /** @throws ViewNameTaken */
  override save(row: ViewEntity): Promise<ViewEntity> {
    return super.save(row).catch(throwNameTaken);
  }
}

function throwNameTaken(error: unknown): never {
  for (const index of ['uq_inbox_view_own', 'uq_inbox_view_shared']) {
    if (violates(error, index)) throw new ViewNameTaken({ cause: error });
  }
  throw error;
}
