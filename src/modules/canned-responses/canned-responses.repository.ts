import { Injectable } from '@nestjs/common';
import { CursorInvalid } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { decodeCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import { violates } from '../../platform/database/database-errors.js';
import { likePattern } from '../../platform/database/like.js';
import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { CannedResponseEntity } from './canned-response.entity.js';
import type { CannedResponse } from './canned-response.js';
import { ShortCodeTaken } from './canned-responses.errors.js';

const LIST = 'canned-responses';

/** Sorts prefix matches of the short code before other matches. */
const RANK = 'CASE WHEN response.short_code LIKE :prefix THEN 0 ELSE 1 END';

export interface CannedResponseQuery {
  limit: number;
  cursor?: string | undefined;
  query?: string | undefined;
}

@Injectable()
export class CannedResponsesRepository extends WorkspaceRepository<CannedResponseEntity> {
  protected readonly entity = CannedResponseEntity;
  protected readonly alias = 'response';

  /**
   * Sorted by short code. With `query`, short codes that begin with it come before other matches: an agent types the
   * first letters and presses Enter.
   * @throws CursorInvalid
   */
  async findPage(principal: Principal, { limit, cursor, query }: CannedResponseQuery): Promise<Page<CannedResponse>> {
    const prefix = query?.toLowerCase();
    const select = this.visibleTo(principal).limit(limit + 1);
    if (prefix !== undefined) {
      const pattern = likePattern(prefix);
      const columns = ['shortCode', 'title', 'content'].map(column => `response.${column} ILIKE :pattern`);
      select.andWhere(`(${columns.join(' OR ')})`, { pattern, prefix: pattern.slice(1) }).orderBy(RANK, 'ASC');
    }
    if (cursor !== undefined) {
      const [lastRank, lastCode, lastId] = decodeCursor(LIST, cursor, 3);
      const isRank = lastRank === 0 || lastRank === 1;
      if (!isRank || typeof lastCode !== 'string' || !isId(lastId)) throw new CursorInvalid();
      const rank = prefix === undefined ? '0' : RANK;
      const afterLast = `(${rank}, response.shortCode, response.id) > (:lastRank, :lastCode, :lastId)`;
      select.andWhere(afterLast, { lastRank, lastCode, lastId });
    }
    select.addOrderBy('response.shortCode', 'ASC').addOrderBy('response.id', 'ASC');
    const rankOf = (row: CannedResponse) => (prefix === undefined || row.shortCode.startsWith(prefix) ? 0 : 1);
    return toPage(await select.getMany(), limit, last => encodeCursor(LIST, [rankOf(last), last.shortCode, last.id]));
  }

  /** @throws ShortCodeTaken */
  override insert(row: CannedResponseEntity): Promise<CannedResponseEntity> {
    return super.insert(row).catch(throwShortCodeTaken);
  }

  /** @throws ShortCodeTaken */
  override save(row: CannedResponseEntity): Promise<CannedResponseEntity> {
    return super.save(row).catch(throwShortCodeTaken);
  }

  async countUse(response: CannedResponse): Promise<void> {
    const { workspaceId, id } = response;
    await this.rows.increment({ workspaceId, id }, 'usageCount', 1);
  }
}

function throwShortCodeTaken(error: unknown): never {
  if (violates(error, 'uq_canned_response_short_code')) throw new ShortCodeTaken({ cause: error });
  throw error;
}
