import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const checkout = resolve(import.meta.dirname, '../..');
const TRANSFORM = JSON.stringify({ '^.+\\.ts$': '<rootDir>/test/support/mutating-transform.js' });

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
    from: 'assertAllowed(principal, access.permission);',
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
    from: "if (lowest !== 'agent' && principal.scope !== null) throw new ScopeTooNarrow();",
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
    file: 'src/modules/conversations/tally.repository.ts',
    from: '[principal.workspaceId, scopeOf(principal), me]',
    to: '[principal.workspaceId, scopeOf(principal) && null, me]',
    rows: '^GET /v1/conversations/counts$',
  },
  {
    lock: 'what a session was narrowed to',
    file: 'src/modules/auth/strategies/agent.strategy.ts',
    from: 'scope: narrow(standing.memberChannels, standing.sessionChannels)',
    to: 'scope: standing.memberChannels',
    rows: '^GET /v1/channels$',
  },
  {
    lock: 'the room of a conversation',
    file: 'src/modules/realtime/handshake.service.ts',
    from: 'await this.conversations.find(principal, conversationId)',
    to: "await this.conversations.find({ kind: 'system', workspaceId: principal.workspaceId }, conversationId)",
    rows: '^WS ',
  },
];

interface Run {
  red: boolean;
  text: string;
}

/** The part of the matrix, in a run of its own on this run's database server, with one line of the source changed. */
async function matrix(rows: string, mutation: Mutation | null): Promise<Run> {
  const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
  const options = ['--runInBand', '--transform', TRANSFORM, '-t', 'is what the declared table says'];
  const child = spawn(process.execPath, [...jest, ...options, 'test/contract/permissions.spec.ts'], {
    cwd: checkout,
    env: {
      ...process.env,
      PERMISSIONS_OF: rows,
      MUTATION: JSON.stringify(mutation),
      GOLDEN: '',
    },
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>(done => child.once('close', done));
  return { red: code !== 0, text: Buffer.concat(chunks).toString('utf8') };
}

describe('the table of who may call what', () => {
  it('holds in every part that is looked at here', async () => {
    const rows = MUTATIONS.map(mutation => mutation.rows).join('|');
    const { red, text } = await matrix(rows, null);
    expect(red ? text : 'green').toBe('green');
    expect(text).toContain('1 passed, 0 failed');
  }, 120_000);

  it.each(MUTATIONS)(
    'turns red without $lock',
    async mutation => {
      const { red, text } = await matrix(mutation.rows, mutation);
      expect(red ? 'red' : text).toBe('red');
      // red for what it saw, and for nothing else: not for a line that could not be compiled
      expect(text).toContain('› is what the declared table says');
      expect(text).toContain('- Expected');
    },
    120_000,
  );
});
