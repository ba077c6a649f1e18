import { Injectable } from '@nestjs/common';
import type { Statement } from '../database/sql.js';
import { Sql, statement } from '../database/sql.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { KeyCount, LastingPlace, SealedText, Succession } from './sealed-places.js';
import { SealedPlaces } from './sealed-places.js';

interface ColumnStatements {
  stale: Statement;
  replace: Statement;
  keys: Statement;
}

const BEFORE_ALL = { workspaceId: '00000000-0000-0000-0000-000000000000', id: '00000000-0000-0000-0000-000000000000' };

/** The questions about one column of sealed texts; its table is keyed `(workspace_id, id)`. */
export function sealedIn(table: string, column: string): ColumnStatements {
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
export abstract class SealedColumn implements LastingPlace {
  abstract readonly what: string;
  abstract readonly context: string;
  readonly within = null;
  /** Made by `sealedIn`, at module level. */
  protected abstract readonly statements: ColumnStatements;

  constructor(
    private readonly units: UnitOfWork,
    private readonly sql: Sql,
    places: SealedPlaces,
  ) {
    places.add(this);
  }

  keysInUse(): Promise<KeyCount[]> {
    return this.sql.rows<KeyCount>(this.statements.keys);
  }

  staleAfter(after: SealedText | null, keyId: string, limit: number): Promise<SealedText[]> {
    const { workspaceId, id } = after ?? BEFORE_ALL;
    return this.sql.rows<SealedText>(this.statements.stale, [workspaceId, id, keyId, limit]);
  }

  replace(successions: readonly Succession[]): Promise<number> {
    const values = [
      successions.map(({ of }) => of.workspaceId),
      successions.map(({ of }) => of.id),
      successions.map(({ of }) => of.text),
      successions.map(({ text }) => text),
    ];
    return this.units.run(() => this.sql.count(this.statements.replace, values));
  }
}
