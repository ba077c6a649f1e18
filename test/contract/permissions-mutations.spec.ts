import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { CALLERS, declaredRows } from '../support/permission-matrix.js';

const checkout = resolve(import.meta.dirname, '../..');

interface Mutation {
  /** What is taken out. */
  lock: string;
  file: string;
  from: string;
  to: string;
  /** The rows of the table that must show it. */
  rows: string;
}

const MUTATIONS: Mutation[] = [
  {
    lock: 'the door: what a credential is worth',
    file: 'src/platform/access/access.guard.ts',
    from: 'assertAllowed(principal, access.permission, access.demands);',
    to: '',
    rows: '^PATCH /v1/workspace$',
  },
  {
    lock: 'the door: which kinds of credential a route takes',
    file: 'src/modules/auth/passport-authenticator.service.ts',
    from: "kind === 'refresh' || !accepts.includes(kind)",
    to: "kind === 'refresh'",
    rows: '^POST /v1/workspace/members$',
  },
  {
    lock: 'a narrowed session has the rights of an agent',
    file: 'src/kernel/permission.ts',
    from: "if ((lowest !== 'agent' || demands.allChannels) && principal.scope !== null) return ScopeTooNarrow;",
    to: '',
    rows: '^POST /v1/bots$',
  },
  {
    lock: 'the rows of one workspace',
    file: 'src/platform/database/workspace.repository.ts',
    from: '.workspaceId = :workspaceId`',
    to: '.workspaceId IS NOT NULL`',
    rows: '^GET /v1/bots/',
  },
  {
    lock: 'the rows of one contact',
    file: 'src/platform/database/workspace.repository.ts',
    from: '.place.contact} = :contactId`',
    to: '.place.contact} IS NOT NULL`',
    rows: '^GET /v1/widget/conversations/{id}$',
  },
  {
    lock: 'the rows of the channels in scope',
    file: 'src/platform/database/workspace.repository.ts',
    from: 'if (scope !== null && this.place.channel)',
    to: 'if (scope === undefined)',
    rows: '^GET /v1/(channels|conversations)$',
  },
  {
    lock: 'the contacts of the channels in scope',
    file: 'src/modules/contacts/contacts.repository.ts',
    from: "if (principal.kind === 'visitor' || scope === null) return query;",
    to: 'if (scope !== undefined) return query;',
    rows: '^GET /v1/contacts',
  },
  {
    lock: 'the counts of the channels in scope',
    file: 'src/modules/conversations/conversation-counts.repository.ts',
    from: '[principal.workspaceId, scopeOf(principal), me]',
    to: '[principal.workspaceId, scopeOf(principal) && null, me]',
    rows: '^GET /v1/conversations/counts$',
  },
  {
    lock: 'what a session was narrowed to',
    file: 'src/modules/auth/strategies/agent.strategy.ts',
    from: 'scope: narrow(state.memberChannels, state.sessionChannels)',
    to: 'scope: state.memberChannels',
    rows: '^GET /v1/channels$',
  },
  {
    lock: 'the room of a conversation',
    file: 'src/modules/realtime/handshake.service.ts',
    from: 'await this.conversations.place(principal, conversationId)',
    to: "await this.conversations.place({ kind: 'system', workspaceId: principal.workspaceId }, conversationId)",
    rows: '^WS ',
  },
  {
    lock: 'the rooms of one workspace',
    file: 'src/modules/conversations/conversation-scopes.repository.ts',
    from: 'conversation.workspace_id = asked.workspace_id',
    to: 'conversation.workspace_id IS NOT NULL',
    rows: '^WS ',
  },
  {
    lock: 'the rooms of one contact',
    file: 'src/modules/conversations/conversation-scopes.repository.ts',
    from: 'asked.contact_id IS NULL OR',
    to: 'true OR',
    rows: '^WS ',
  },
  {
    lock: 'the rooms of the channels in scope',
    file: 'src/modules/conversations/conversation-scopes.repository.ts',
    from: 'asked.channels IS NULL OR',
    to: 'true OR',
    rows: '^WS ',
  },
];

/** What the service, with a line of its source changed, answers to whom: the rows of the table, or why there are none. */
interface Outcome {
  table?: [route: string, cells: string[]][];
  error?: string;
}

/** All in one process of their own, for most of what each would load is the same. */
async function tablesOf(mutations: readonly object[]): Promise<Outcome[]> {
  const child = spawn(process.execPath, ['test/support/mutant-tables.js', JSON.stringify(mutations)], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [told, complaints]: [string[], string[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => told.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the mutants ended with ${code}: ${complaints.join('')}`);
  const lines = told.join('').trim().split('\n');
  return lines.map(line => JSON.parse(line) as Outcome);
}

describe('the table of who may call what', () => {
  const declared = declaredRows();
  let whole: Outcome | undefined;
  let broken: Outcome[];

  beforeAll(async () => {
    const rows = MUTATIONS.map(mutation => mutation.rows).join('|');
    [whole, ...broken] = await tablesOf([{ rows }, ...MUTATIONS]);
  }, 240_000);

  it('holds in every part that is looked at here', () => {
    const seen = MUTATIONS.flatMap(({ rows }) => declared.filter(([name]) => new RegExp(rows).test(name)));
    expect(whole?.error).toBeUndefined();
    expect(new Map(whole?.table)).toEqual(new Map(seen));
  });

  it.each(MUTATIONS.map((mutation, index) => ({ ...mutation, index })))(
    'turns red without $lock',
    ({ rows, index }) => {
      const { table = [], error } = broken[index] ?? {};
      const part = declared.filter(([name]) => new RegExp(rows).test(name));
      // red for what it saw, and for nothing else: not for a line that could not be compiled
      expect(error).toBeUndefined();
      expect(new Set(table.map(([name]) => name))).toEqual(new Set(part.map(([name]) => name)));
      for (const [, cells] of table) expect(cells).toEqual(CALLERS.map(() => expect.stringMatching(/^[1-4]\d\d/)));
      expect(new Map(table)).not.toEqual(new Map(part));
    },
  );
});
