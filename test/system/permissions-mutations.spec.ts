import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { CALLERS, declaredRows } from '../support/permission-matrix.js';

const checkout = resolve(import.meta.dirname, '../..');

interface Mutation {
  /** The check that the mutation removes. */
  check: string;
  file: string;
  from: string;
  to: string;
  /** The rows of the table that must differ without it. */
  rows: string;
}

const MUTATIONS: Mutation[] = [
  {
    check: 'the check of permissions',
    file: 'src/platform/access/access.guard.ts',
    from: 'assertAllowed(principal, access.permission, access.demands);',
    to: '',
    rows: '^PATCH /v1/workspace$',
  },
  {
    check: 'the check of the kind of credential',
    file: 'src/modules/auth/passport-authenticator.service.ts',
    from: "kind === 'refresh' || !accepts.includes(kind)",
    to: "kind === 'refresh'",
    rows: '^POST /v1/workspace/members$',
  },
  {
    check: 'the restriction of narrowed sessions to agent rights',
    file: 'src/kernel/permission.ts',
    from: "if ((lowest !== 'agent' || demands.allChannels) && principal.scope !== null) return ScopeTooNarrow;",
    to: '',
    rows: '^POST /v1/bots$',
  },
  {
    check: 'the filter by workspace',
    file: 'src/platform/database/visibility.ts',
    from: 'caller.workspace}',
    to: 'workspace}',
    rows: '^GET /v1/bots/',
  },
  {
    check: 'the filter by contact',
    file: 'src/platform/database/visibility.ts',
    from: 'caller.contact})',
    to: 'contact})',
    rows: '^GET /v1/widget/conversations/{id}$',
  },
  {
    check: 'the filter by channel scope',
    file: 'src/platform/database/visibility.ts',
    from: '{channel} = ANY(',
    to: '{channel} IS NOT NULL OR NULL = ANY(',
    rows: '^GET /v1/(channels|conversations)$',
  },
  {
    check: 'the filter of rows',
    file: 'src/platform/database/workspace.repository.ts',
    from: '.where(isVisible(row, CALLER)',
    to: ".where('true'",
    rows: '^GET /v1/(channels|conversations)$',
  },
  {
    check: 'the filter of contacts by channel scope',
    file: 'src/modules/contacts/contacts.repository.ts',
    from: "isInChannels('seen.channel_id', CALLER.channels)",
    to: "'true'",
    rows: '^GET /v1/contacts',
  },
  {
    check: 'the filter of counts',
    file: 'src/modules/conversations/conversation-counts.repository.ts',
    from: 'const IS_VISIBLE = isVisible(',
    to: "const IS_VISIBLE = '$1::uuid IS NOT NULL AND $2::uuid IS NULL AND ($3::uuid[] IS NULL OR true)' || isVisible(",
    rows: '^GET /v1/conversations/counts$',
  },
  {
    check: 'the filter of conversations on the fast path',
    file: 'src/modules/messages/fast-path-statements.ts',
    from: "isVisible(scopeColumnsOf('conversation'), sender)",
    // PostgreSQL must still know the type of the parameter
    to: "'(' + sender.channels + ' IS NULL OR true)' || isVisible(scopeColumnsOf('conversation'), sender)",
    rows: '^POST /v1/(widget/)?conversations/{conversation_id}/messages$',
  },
  {
    check: 'the scope of a narrowed session',
    file: 'src/modules/auth/strategies/agent.strategy.ts',
    from: 'scope: narrow(state.memberChannels, state.sessionChannels)',
    to: 'scope: state.memberChannels',
    rows: '^GET /v1/channels$',
  },
  {
    check: 'the check of an agent’s access to a conversation’s room',
    file: 'src/modules/realtime/handshake-states.repository.ts',
    from: "    channels: 'member.channel_ids',",
    to: "    channels: 'NULL::uuid[]',",
    rows: '^WS ',
  },
  {
    check: 'the check of a narrowed session’s access to a conversation’s room',
    file: 'src/modules/realtime/handshake-states.repository.ts',
    from: "isInChannels('conversation.channel_id', 'session.channel_ids')",
    to: "'true'",
    rows: '^WS ',
  },
  {
    check: 'the check of a visitor’s access to a conversation’s room',
    file: 'src/modules/realtime/handshake-states.repository.ts',
    from: "contact: 'lookup.contact_id',",
    to: "contact: 'NULL::uuid',",
    rows: '^WS ',
  },
];

/** The rows of the permission table with a mutation applied, or the error that prevented them. */
interface Outcome {
  table?: [route: string, cells: string[]][];
  error?: string;
}

/** Runs all mutations in one child process, since they share most of the loaded modules. */
async function tablesOf(mutations: readonly object[]): Promise<Outcome[]> {
  const child = spawn(process.execPath, ['test/support/mutant-tables.js', JSON.stringify(mutations)], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors]: [string[], string[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the mutants ended with ${code}: ${errors.join('')}`);
  const lines = output.join('').trim().split('\n');
  return lines.map(line => JSON.parse(line) as Outcome);
}

describe('Mutations of the permission table', () => {
  const declared = declaredRows();
  let unmutated: Outcome | undefined;
  let broken: Outcome[];

  beforeAll(async () => {
    const rows = MUTATIONS.map(mutation => mutation.rows).join('|');
    [unmutated, ...broken] = await tablesOf([{ rows }, ...MUTATIONS]);
  }, 240_000);

  it('Without a mutation, the rows match the declared permission table', () => {
    const seen = MUTATIONS.flatMap(({ rows }) => declared.filter(([name]) => new RegExp(rows).test(name)));
    expect(unmutated?.error).toBeUndefined();
    expect(new Map(unmutated?.table)).toEqual(new Map(seen));
  });

  it.each(MUTATIONS.map((mutation, index) => ({ ...mutation, index })))(
    'The permission table differs without $check',
    ({ rows, index }) => {
      const { table = [], error } = broken[index] ?? {};
      const expectedRows = declared.filter(([name]) => new RegExp(rows).test(name));
      // The table must differ by its cells, not because the mutated source failed to compile.
      expect(error).toBeUndefined();
      expect(new Set(table.map(([name]) => name))).toEqual(new Set(expectedRows.map(([name]) => name)));
      for (const [, cells] of table) expect(cells).toEqual(CALLERS.map(() => expect.stringMatching(/^[1-4]\d\d/)));
      expect(new Map(table)).not.toEqual(new Map(expectedRows));
    },
  );
});
