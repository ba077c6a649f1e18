import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The facts of all channels together. Triggers keep them, so that they are right while an instance of an earlier version
 * counts.
 */
export class ReportTotals1797058800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const KEY = ['workspace_id', 'member_id', 'tag_id', 'span', 'at'];
const COUNTS = [
  'created',
  'resolved',
  'reopened',
  'messages_in',
  'messages_out',
  'bot_messages',
  'bot_resolved',
  'csat_1',
  'csat_2',
  'csat_3',
  'csat_4',
  'csat_5',
  'first_response_count',
  'resolution_count',
];
const SUMS = [
  'first_response_ms',
  'first_response_business_ms',
  'resolution_ms',
  'resolution_business_ms',
  'first_response_bins',
  'first_response_business_bins',
  'resolution_bins',
  'resolution_business_bins',
];
const MEASURES = [...COUNTS, ...SUMS];

/** Adds the facts of a relation, row by row, to those of all channels. Rows are sorted, so that transactions lock them in one order. */
const add = (changes: string): string => `
  INSERT INTO report_total (${[...KEY, ...MEASURES].join(', ')})
  SELECT ${[...KEY, ...MEASURES.map(name => `sum(${name})`)].join(', ')} FROM (${changes}) AS change
  GROUP BY ${KEY.join(', ')} ORDER BY ${KEY.join(', ')}
  ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET
    ${MEASURES.map(name => `${name} = report_total.${name} + excluded.${name}`).join(', ')}`;

const columns = (sign: '' | '-'): string => [...KEY, ...MEASURES.map(name => `${sign}${name} AS ${name}`)].join(', ');

const trigger = (name: string, body: string): string => `
  CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    ${body};
    RETURN NULL;
  END $$`;

const UP = [
  `CREATE TABLE report_total (
     workspace_id uuid NOT NULL,
     member_id uuid NOT NULL,
     tag_id uuid NOT NULL,
     span smallint NOT NULL,
     at timestamptz(3) NOT NULL,
     ${COUNTS.map(name => `${name} integer NOT NULL DEFAULT 0`).join(', ')},
     ${SUMS.map(name => `${name} ${name.endsWith('_bins') ? 'numeric' : 'bigint'} NOT NULL DEFAULT 0`).join(', ')},
     CONSTRAINT pk_report_total PRIMARY KEY (workspace_id, member_id, tag_id, span, at),
     CONSTRAINT fk_report_total_workspace FOREIGN KEY (workspace_id) REFERENCES workspace (id) ON DELETE CASCADE
   ) WITH (fillfactor = 70)`,
  trigger('add_report_totals', add(`SELECT ${columns('')} FROM counted`)),
  trigger(
    'change_report_totals',
    add(`SELECT ${columns('')} FROM counted UNION ALL SELECT ${columns('-')} FROM replaced`),
  ),
  trigger('clear_report_totals', 'TRUNCATE report_total'),
  // locks the facts until the migration commits, so that their sums miss nothing
  `CREATE TRIGGER tr_report_fact_added AFTER INSERT ON report_fact
   REFERENCING NEW TABLE AS counted FOR EACH STATEMENT EXECUTE FUNCTION add_report_totals()`,
  `CREATE TRIGGER tr_report_fact_changed AFTER UPDATE ON report_fact
   REFERENCING OLD TABLE AS replaced NEW TABLE AS counted FOR EACH STATEMENT EXECUTE FUNCTION change_report_totals()`,
  `CREATE TRIGGER tr_report_fact_cleared AFTER TRUNCATE ON report_fact
   FOR EACH STATEMENT EXECUTE FUNCTION clear_report_totals()`,
  add(`SELECT ${columns('')} FROM report_fact`),
];

const DOWN = [
  ...['added', 'changed', 'cleared'].map(name => `DROP TRIGGER tr_report_fact_${name} ON report_fact`),
  ...['add', 'change', 'clear'].map(name => `DROP FUNCTION ${name}_report_totals()`),
  'DROP TABLE report_total',
];
