import { Injectable } from '@nestjs/common';
import { In, SelectQueryBuilder } from 'typeorm';
import type { Page, PageRequest } from '../../kernel/page.js';
import { decodeIdCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal } from '../../kernel/principal.js';
import { BatchLoader, one } from '../../platform/database/batch-loader.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { ApiKeyEntity } from './api-key.entity.js';
import type { ApiKey } from './api-key.js';

/** Read on every request, without a cache, so that a revocation takes effect at once. */
const KEY_COLUMNS = `
  id, workspace_id AS "workspaceId", scopes, expires_at AS "expiresAt", revoked_at AS "revokedAt"`;
const BY_HASH = statement(`SELECT ${KEY_COLUMNS} FROM api_key WHERE key_hash = $1`);
const BY_HASHES = statement(`
  SELECT keys.ordinal::integer - 1 AS key_index, ${KEY_COLUMNS}
  FROM unnest($1::text[]) WITH ORDINALITY AS keys (key_hash, ordinal) JOIN api_key USING (key_hash)`);
const RECORD_USES = statement(`
  UPDATE api_key SET last_used_at = used.at
  FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS used (workspace_id, id, at)
  WHERE api_key.workspace_id = used.workspace_id AND api_key.id = used.id
    AND (api_key.last_used_at IS NULL OR api_key.last_used_at < used.at)`);

/** `FOR SHARE`, not `FOR KEY SHARE`: a revocation changes no key column, so the weaker lock would not block it. */
const LOCK_FOR_SHARE = statement(`
  SELECT 1 FROM api_key
  WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3) FOR SHARE`);

export type PresentedKey = Pick<ApiKey, 'id' | 'workspaceId' | 'scopes' | 'expiresAt' | 'revokedAt'>;

@Injectable()
export class ApiKeysRepository extends WorkspaceRepository<ApiKeyEntity> {
  protected readonly entity = ApiKeyEntity;
  protected readonly alias = 'apiKey';
  private readonly keysLoader: BatchLoader<[keyHash: string], PresentedKey>;

  constructor(
    units: UnitOfWork,
    private readonly sql: SqlService,
  ) {
    super(units);
    this.keysLoader = new BatchLoader(one(sql, BY_HASH, BY_HASHES));
  }

  /** Excludes revoked keys. The event log keeps them. */
  override visibleTo(principal: Principal): SelectQueryBuilder<ApiKeyEntity> {
    return super.visibleTo(principal).andWhere('apiKey.revokedAt IS NULL');
  }

  async findPage(principal: Principal, { limit, cursor }: PageRequest): Promise<Page<ApiKey>> {
    const query = this.visibleTo(principal)
      .orderBy('apiKey.id', 'DESC')
      .limit(limit + 1);
    if (cursor !== undefined) {
      const before = decodeIdCursor('api-keys', cursor);
      query.andWhere('apiKey.id < :before', { before });
    }
    return toPage(await query.getMany(), limit, last => encodeCursor('api-keys', [last.id]));
  }

  /** Includes revoked and expired keys. */
  async findNames(workspaceId: string, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.rows.find({ select: { id: true, name: true }, where: { workspaceId, id: In([...ids]) } });
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Includes revoked and expired keys. */
  findByHash(keyHash: string): Promise<PresentedKey | undefined> {
    return this.keysLoader.load(keyHash);
  }

  async lockForShare(workspaceId: string, id: string, now: Date): Promise<boolean> {
    return (await this.sql.first(LOCK_FOR_SHARE, [workspaceId, id, now])) !== undefined;
  }

  async recordUses(uses: readonly { workspaceId: string; id: string; at: Date }[]): Promise<void> {
    await this.sql.count(RECORD_USES, [
      uses.map(use => use.workspaceId),
      uses.map(use => use.id),
      uses.map(use => use.at),
    ]);
  }
}
