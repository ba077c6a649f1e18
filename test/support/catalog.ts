import type { TestDatabase } from './database.js';

type Queries = Pick<TestDatabase, 'query'>;

/** TypeORM's own table of migrations, which is not part of our schema. */
const BOOKKEEPING = ['migration', 'migration_id_seq'];
const OURS = `relation.relnamespace = 'public'::regnamespace AND relation.relname <> ALL ($1)`;

/** True for an object that an extension owns; these differ by version and are left out. */
const OF_EXTENSION = (catalog: string): string => `EXISTS (
    SELECT FROM pg_depend WHERE classid = '${catalog}'::regclass AND objid = ${catalog}.oid AND deptype = 'e')`;

const COLUMNS = `
  SELECT relation.relname AS "table", format('%I %s', attname, format_type(atttypid, atttypmod))
    || CASE WHEN attnotnull THEN ' not null' ELSE '' END
    || CASE attidentity WHEN 'a' THEN ' generated always as identity' WHEN 'd' THEN ' generated as identity' ELSE '' END
    || CASE WHEN attgenerated = '' THEN coalesce(' default ' || pg_get_expr(adbin, adrelid), '') ELSE ' generated' END
    AS line
  FROM pg_attribute
    JOIN pg_class relation ON relation.oid = attrelid AND relkind IN ('r', 'p')
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE ${OURS} AND attnum > 0 AND NOT attisdropped
  ORDER BY attnum`;

/** Without the constraints that PostgreSQL 18 makes of every NOT NULL: the columns already show them. */
const CONSTRAINTS = `
  SELECT relation.relname AS "table", format('constraint %I %s', conname, pg_get_constraintdef(pg_constraint.oid)) AS line
  FROM pg_constraint JOIN pg_class relation ON relation.oid = conrelid
  WHERE ${OURS} AND contype <> 'n'
  ORDER BY conname COLLATE "C"`;

const INDEXES = `
  SELECT relation.relname AS "table", 'index ' || pg_get_indexdef(indexrelid) AS line
  FROM pg_index JOIN pg_class relation ON relation.oid = indrelid JOIN pg_class index ON index.oid = indexrelid
  WHERE ${OURS} AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x'))
  ORDER BY index.relname COLLATE "C"`;

const TRIGGERS = `
  SELECT relation.relname AS "table", pg_get_triggerdef(pg_trigger.oid) AS line
  FROM pg_trigger JOIN pg_class relation ON relation.oid = tgrelid
  WHERE ${OURS} AND NOT tgisinternal
  ORDER BY tgname`;

const TABLES = `
  SELECT relname AS name FROM pg_class relation WHERE ${OURS} AND relkind IN ('r', 'p') ORDER BY relname COLLATE "C"`;

const OTHERS = `
  SELECT line COLLATE "C" AS line FROM (
  SELECT format('%s %s', CASE relkind WHEN 'S' THEN 'sequence' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
    WHEN 'c' THEN 'type' WHEN 'f' THEN 'foreign table' ELSE relkind::text END, relname) AS line
  FROM pg_class relation WHERE ${OURS} AND relkind NOT IN ('r', 'p', 'i', 'I', 't')
  UNION ALL SELECT 'function ' || oid::regprocedure FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND NOT ${OF_EXTENSION('pg_proc')}
  UNION ALL SELECT 'type ' || typname FROM pg_type
    WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd', 'r') AND NOT ${OF_EXTENSION('pg_type')}
  ) AS other ORDER BY 1`;

/**
 * Describes the schema in PostgreSQL's own words, equal for versions 15 to 18: one block per table, sorted by name,
 * separated by an empty line. TypeORM's drift check sees no expression index, no partial index and no CHECK; this does.
 */
export async function describeSchema(database: Queries): Promise<string> {
  const read = <T extends object>(sql: string) => database.query<T>(sql, [BOOKKEEPING]);
  const parts: { table: string; line: string }[] = [];
  for (const sql of [COLUMNS, CONSTRAINTS, INDEXES, TRIGGERS]) parts.push(...(await read<(typeof parts)[0]>(sql)));
  const blocks = (await read<{ name: string }>(TABLES)).map(({ name }) =>
    [`table ${name}`, ...parts.filter(({ table }) => table === name).map(({ line }) => `  ${line}`)].join('\n'),
  );
  const others = (await read<{ line: string }>(OTHERS)).map(({ line }) => line);
  return [...blocks, ...(others.length > 0 ? [others.join('\n')] : [])].map(block => `${block}\n`).join('\n');
}

/**
 * Names of constraints and indexes without our prefixes (`pk_`, `fk_`, `uq_`, `ck_`, `ix_`): named by PostgreSQL or
 * TypeORM.
 */
export async function foreignNames(database: Queries): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint JOIN pg_class relation ON relation.oid = conrelid
     WHERE ${OURS} AND contype <> 'n'
       AND conname !~ ('^' || CASE contype WHEN 'p' THEN 'pk' WHEN 'f' THEN 'fk' WHEN 'u' THEN 'uq' WHEN 'c' THEN 'ck'
         ELSE 'ex' END || '_' || relname || '(_[a-z0-9_]+)?$')
     UNION
     SELECT index.relname FROM pg_index
       JOIN pg_class relation ON relation.oid = indrelid JOIN pg_class index ON index.oid = indexrelid
     WHERE ${OURS} AND index.relname !~ ('^' || CASE WHEN indisprimary THEN 'pk' WHEN indisunique THEN 'uq' ELSE 'ix' END
         || '_' || relation.relname || '(_[a-z0-9_]+)?$')
     ORDER BY name`,
    [BOOKKEEPING],
  );
  return rows.map(({ name }) => name);
}

/** Foreign keys between two workspace tables that would let a row refer to another workspace. */
export async function keysAcrossWorkspaces(database: Queries): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `WITH place AS (
       SELECT attrelid AS of, attnum AS workspace FROM pg_attribute JOIN pg_class relation ON relation.oid = attrelid
       WHERE ${OURS} AND relkind IN ('r', 'p')
         AND attname = CASE relname WHEN 'workspace' THEN 'id' ELSE 'workspace_id' END AND NOT attisdropped
     )
     SELECT conname AS name FROM pg_constraint
       JOIN place here ON here.of = conrelid JOIN place there ON there.of = confrelid
     WHERE contype = 'f' AND NOT EXISTS (
       SELECT FROM unnest(conkey, confkey) AS pair (own, theirs)
       WHERE own = here.workspace AND theirs = there.workspace
     )
     ORDER BY name`,
    [BOOKKEEPING],
  );
  return rows.map(({ name }) => name);
}
