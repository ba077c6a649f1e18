import { Injectable } from '@nestjs/common';
import { NIL_ID } from '../../kernel/ids.js';
import type { Statement } from '../database/sql.service.js';
import { SqlService, statement } from '../database/sql.service.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { KeyCount, RotatableColumn, EncryptedText, Reencryption } from './encrypted-columns.js';
import { EncryptedColumns } from './encrypted-columns.js';

interface ColumnStatements {
  stale: Statement;
  replace: Statement;
  keys: Statement;
}

const BEFORE_ALL = { workspaceId: NIL_ID, id: NIL_ID };

/** Builds the statements for one column of encrypted texts. Its table must have the key `(workspace_id, id)`. */
export function encryptedColumnStatements(table: string, column: string): ColumnStatements {
  return {
    stale: statement(`
      SELECT workspace_id AS "workspaceId", id, ${column} AS text FROM ${table}
      WHERE (workspace_id, id) > ($1, $2) AND split_part(${column}, '.', 1) <> $3
      ORDER BY workspace_id, id LIMIT $4`),
    // the condition on the old text keeps a value that its owner has written since we read it
    replace: statement(`
      UPDATE ${table} SET ${column} = replacement.text
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) AS replacement (workspace_id, id, old, text)
      WHERE ${table}.workspace_id = replacement.workspace_id AND ${table}.id = replacement.id
        AND ${table}.${column} = replacement.old`),
    keys: statement(`
      SELECT split_part(${column}, '.', 1) AS "keyId", count(*)::integer AS texts FROM ${table}
      WHERE ${column} IS NOT NULL GROUP BY 1`),
  };
}

/** Base class for repositories of one column of encrypted texts. The module that owns the table provides a subclass. */
@Injectable()
export abstract class EncryptedColumnRepository implements RotatableColumn {
  abstract readonly name: string;
  abstract readonly context: string;
  readonly expiresAfter = null;
  /** Created by `encryptedColumnStatements` at module level. */
  protected abstract readonly statements: ColumnStatements;

  constructor(
    private readonly units: UnitOfWork,
    private readonly sql: SqlService,
    columns: EncryptedColumns,
  ) {
    columns.add(this);
  }

  keysInUse(): Promise<KeyCount[]> {
    return this.sql.rows<KeyCount>(this.statements.keys);
  }

  findStale(after: EncryptedText | null, keyId: string, limit: number): Promise<EncryptedText[]> {
    const { workspaceId, id } = after ?? BEFORE_ALL;
    return this.sql.rows<EncryptedText>(this.statements.stale, [workspaceId, id, keyId, limit]);
  }

  replace(reencryptions: readonly Reencryption[]): Promise<number> {
    const values = [
      reencryptions.map(({ source }) => source.workspaceId),
      reencryptions.map(({ source }) => source.id),
      reencryptions.map(({ source }) => source.text),
      reencryptions.map(({ text }) => text),
    ];
    return this.units.run(() => this.sql.count(this.statements.replace, values));
  }
}
