import { Injectable } from '@nestjs/common';
import type { Statement } from '../database/sql.js';
import { Sql, statement } from '../database/sql.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { KeyCount, RotatableColumn, EncryptedText, Reencryption } from './encrypted-columns.js';
import { EncryptedColumns } from './encrypted-columns.js';

interface ColumnStatements {
  stale: Statement;
  replace: Statement;
  keys: Statement;
}

const BEFORE_ALL = { workspaceId: '00000000-0000-0000-0000-000000000000', id: '00000000-0000-0000-0000-000000000000' };

/** The questions about one column of sealed texts; its table is keyed `(workspace_id, id)`. */
export function encryptedColumnStatements(table: string, column: string): ColumnStatements {
  return {
    stale: statement(`
      SELECT workspace_id AS "workspaceId", id, ${column} AS text FROM ${table}
      WHERE (workspace_id, id) > ($1, $2) AND split_part(${column}, '.', 1) <> $3
      ORDER BY workspace_id, id LIMIT $4`),
    // what its owner has written since it was read is newer than what we made of the old text
    replace: statement(`
      UPDATE ${table} SET ${column} = successor.text
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) AS successor (workspace_id, id, old, text)
      WHERE ${table}.workspace_id = successor.workspace_id AND ${table}.id = successor.id
        AND ${table}.${column} = successor.old`),
    keys: statement(`
      SELECT split_part(${column}, '.', 1) AS "keyId", count(*)::integer AS texts FROM ${table}
      WHERE ${column} IS NOT NULL GROUP BY 1`),
  };
}

/** A column of sealed texts, of which the module that owns the table makes a repository of its own. */
@Injectable()
export abstract class EncryptedColumnRepository implements RotatableColumn {
  abstract readonly name: string;
  abstract readonly context: string;
  readonly within = null;
  /** Made by `encryptedColumnStatements`, at module level. */
  protected abstract readonly statements: ColumnStatements;

  constructor(
    private readonly units: UnitOfWork,
    private readonly sql: Sql,
    places: EncryptedColumns,
  ) {
    places.add(this);
  }

  keysInUse(): Promise<KeyCount[]> {
    return this.sql.rows<KeyCount>(this.statements.keys);
  }

  staleAfter(after: EncryptedText | null, keyId: string, limit: number): Promise<EncryptedText[]> {
    const { workspaceId, id } = after ?? BEFORE_ALL;
    return this.sql.rows<EncryptedText>(this.statements.stale, [workspaceId, id, keyId, limit]);
  }

  replace(successions: readonly Reencryption[]): Promise<number> {
    const values = [
      successions.map(({ of }) => of.workspaceId),
      successions.map(({ of }) => of.id),
      successions.map(({ of }) => of.text),
      successions.map(({ text }) => text),
    ];
    return this.units.run(() => this.sql.count(this.statements.replace, values));
  }
}
