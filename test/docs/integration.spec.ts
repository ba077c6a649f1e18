import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import * as sdk from '../../clients/sdk/src/index.js';
import { publishedErrors } from '../../src/kernel/domain-error.js';
import { startDemoWorkspace } from '../support/demo-workspace.js';
import { eventually } from '../support/eventually.js';
import type { Method } from '../support/http.js';
import { blocksIn, brokenLinks } from '../support/pages.js';
import { runShell } from '../support/shell.js';
import type { Caller } from '../support/http.js';
import { unique, World, type Desk } from '../support/world.js';

/** The steps start a hundred processes. */
const SHELL_MS = 120_000;
const PAGE = 'docs/INTEGRATION.md';
const page = readFileSync(PAGE, 'utf8');

let world: World;
beforeAll(async () => {
  world = await startDemoWorkspace();
});
afterAll(() => world.stop());

/** Runs a snippet as a module with the given SDK import and reader's variables. */
async function runSnippet(text: string, variables: Record<string, unknown>): Promise<void> {
  const importless = text.replace(/^import \{(.+)\} from '@support-chat\/sdk';$/m, 'const {$1} = sdk;');
  const { outputText } = ts.transpileModule(importless, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  const AsyncFunction = Object.getPrototypeOf(runSnippet).constructor as new (
    ...text: string[]
  ) => (...values: unknown[]) => Promise<void>;
  await new AsyncFunction('sdk', ...Object.keys(variables), outputText)(sdk, ...Object.values(variables));
}

/** Creates a contact with the same e-mail as others. */
async function contactOf(desk: Desk): Promise<string> {
  const { data } = await desk.owner.api.post('/v1/contacts', { name: 'Vera', email: 'same@example.com' });
  return data.id;
}

describe('The integration page', () => {
  it(
    'The shell steps of the integration page succeed in order.',
    async () => {
      const steps = blocksIn(page, 'sh').map(block => block.replaceAll('localhost:3000', new URL(world.app.url).host));
      expect(steps.length).toBeGreaterThan(12);
      const { code, out } = await runShell(steps.join('\necho\n'));
      const failures = [...out.matchAll(/"ok":false.*?"code":"([a-z_]+)"/g)].map(([, failed]) => failed);
      // The page announces three refusals: a ticket used twice, a deactivated member, a revoked key.
      expect({ code, failures, out }).toMatchObject({
        code: 0,
        failures: ['sso_ticket_invalid', 'token_revoked', 'invalid_token'],
      });
      for (const pattern of [
        /^idempotency-replayed: true/im,
        /^Location: http\S+\/dashboard#sso_ticket=sst_/m,
        /"scope":\{"type":"channels","channel_ids":\["[0-9a-f-]{36}"\]\}/,
        /^channels$/m,
        /"workspace_name":"Demo shop"/,
        /^delivery$/m,
        /^Quick and friendly\.$/m,
        /Vera\nWhere is my parcel\?/,
        /^\[ 'phone' \]$/m,
        /^\[ 'parcel' \]$/m,
        /^Vera$/m,
        /^deactivated$/m,
        /^ratelimit-limit: \d+/im,
      ]) {
        expect(out).toMatch(pattern);
      }
      expect(out).not.toContain('undefined');
    },
    SHELL_MS,
  );

  it('The SDK snippets of the integration page do the same, from sign-in to deactivation.', async () => {
    const desk = await world.register();
    const made = await desk.owner.api.post('/v1/api-keys', { name: 'shop backend' });
    const user = { email: `${unique('user')}@example.com`, name: 'Mia' };
    const done: unknown[] = [];
    const saved = new Map<string, string>();
    const window = {
      location: { href: '' },
      history: { state: null, replaceState: (_state: unknown, _unused: string, url: string) => void done.push(url) },
    };
    const variables = {
      baseUrl: world.app.url,
      apiKey: made.data.key,
      user,
      channelId: desk.channelId,
      memberId: '',
      copy: {
        cursor: undefined as string | undefined,
        types: [] as string[],
        take({ type }: { type: string }) {
          this.types.push(type);
        },
      },
      keep: (tokens: unknown) => done.push(tokens && 'tokens'),
      render: (conversations: unknown[]) => done.push(conversations),
      choose: (duplicates: unknown[]) => Promise.resolve(duplicates[0]),
      save: (filename: string, content: string) => saved.set(filename, content),
      askAgain: (code: string) => done.push(code),
      // The search finds the message only if the index has it by then.
      show: () => undefined,
      redirect: (status: number, href: string) => {
        done.push(status);
        window.location.href = href;
      },
    };
    const blocks = blocksIn(page, 'ts');
    const [backend = '', dashboard = '', narrower = '', following = '', working = '', cleaning = '', leaving = ''] =
      blocks;
    expect(blocks).toHaveLength(7);

    await runSnippet(backend, variables);
    await runSnippet(backend, variables);
    Object.assign(globalThis, { document: {}, ...window });
    await runSnippet(dashboard, variables).finally(() => {
      for (const name of ['document', 'location', 'history']) delete (globalThis as Record<string, unknown>)[name];
    });
    expect(done).toEqual([303, 303, 'tokens', world.app.config.dashboardUrl, []]);

    await runSnippet(narrower, variables);
    expect(done.splice(0)).toHaveLength(6);
    // Other tests' open transactions delay the event log.
    await eventually(async () => {
      await runSnippet(following, variables);
      return variables.copy.types.length >= 3 || undefined;
    });
    expect(variables.copy.types).toEqual(['channel.created', 'member.created', 'member.created']);
    await runSnippet(following, variables);
    expect(variables.copy.types).toHaveLength(3);
    const { items } = (await desk.owner.api.get('/v1/workspace/members')).data;
    const member = items.find(({ email }: { email: string }) => email === user.email);

    const [kept, same] = [await contactOf(desk), await contactOf(desk)];
    await runSnippet(working, { ...variables, memberId: member.id });
    const [[worked]] = done.splice(0) as [[{ id: string; tags: string[]; status: string }]];
    expect(worked).toMatchObject({ tags: ['delivery'], priority: 'high', status: 'snoozed' });
    expect((await desk.owner.api.get(`/v1/conversations/${worked.id}`)).data.status).toBe('resolved');
    await runSnippet(cleaning, { ...variables, contactId: kept });
    for (const id of [kept, same]) expect((await desk.owner.api.get(`/v1/contacts/${id}`)).status).toBe(404);
    await eventually(async () => {
      await runSnippet(following, variables);
      return variables.copy.types.includes('contact.deleted') || undefined;
    });
    expect(variables.copy.types).toContain('contact.merged');
    expect([...saved.keys()]).toEqual([expect.stringMatching(/\.txt$/), 'contact.json']);
    expect([...saved.values()].join()).toContain('Your parcel is delayed.');

    await runSnippet(leaving, { ...variables, memberId: member.id });
    expect((await desk.owner.api.get(`/v1/workspace/members/${member.id}`)).data.status).toBe('deactivated');
    expect((await desk.owner.api.get('/v1/api-keys')).data.items).toEqual([]);
  });

  it('The integration page links to existing files only.', () => {
    expect(brokenLinks(PAGE)).toEqual([]);
  });

  it('The integration page mentions published error codes only.', () => {
    const known = new Set(publishedErrors().map(({ code }) => code));
    const named = [...page.matchAll(/\b4\d\d `([a-z_]+)`|^\| (`[a-z_`, ]+`) +\|/gm)].flatMap(([, one, many = '']) =>
      one === undefined ? [...many.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code ?? '') : [one],
    );
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter(code => !known.has(code))).toEqual([]);
  });
});

describe('Its table of what a narrow session may do', () => {
  const rows = [...page.matchAll(/^\| (.*`(?:GET|POST|PATCH) .*?) +\| (\d{3})(?: `([a-z_]+)`)?.*\|$/gm)];
  const promises = rows.flatMap(([, routes = '', status, code]) =>
    [...routes.matchAll(/`(GET|POST|PATCH) (\S+)`(.*?)(?=, `|$)/g)].map(
      ([, method = '', path = '', with_ = '']) =>
        [`${method} ${path}${with_}`, method, path, Number(status), code] as const,
    ),
  );
  /** Values of placeholders such as `{outside}`, by resource. BODIES below are the bodies of routes that need one. */
  const valuesByPlaceholder: Record<string, Record<string, string>> = {};
  let narrow: Caller;

  beforeAll(async () => {
    const desk = await world.register();
    const other = await world.channel(desk);
    const [near, far] = [await world.visitor(desk), await world.visitor({ widgetToken: other.widget_token })];
    const [inside, outside] = [await world.conversation(near), await world.conversation(far)];
    valuesByPlaceholder['{outside}'] = { channels: other.id, conversations: outside.id, contacts: far.contactId };
    valuesByPlaceholder['{inside}'] = { conversations: inside.id };
    valuesByPlaceholder['{member}'] = { members: desk.owner.memberId };
    const key = await world.apiKey(desk);
    const session = await key.post('/v1/auth/agent-token', { email: desk.owner.email, channel_ids: [desk.channelId] });
    narrow = world.as(session.data.token);
  });

  const BODIES: Record<string, object> = {
    'PATCH /v1/workspace/members/me': { availability: 'away' },
    'PATCH /v1/workspace': { name: 'Mine' },
    'POST /v1/channels': { name: 'Mine' },
    'POST /v1/bots': { name: 'Mine' },
    'POST /v1/workspace/invites': { email: 'mine@example.com' },
    'POST /v1/api-keys': { name: 'Mine' },
  };

  it('The table of narrow sessions has rows.', () => {
    expect(promises.length).toBeGreaterThan(20);
  });

  it.each(promises)('A narrow session gets the documented response: %s', async (_name, method, path, status, code) => {
    const [, noun = '', placeholder = ''] = /\/([a-z-]+)\/(\{\w+\})/.exec(path) ?? [];
    const address = path.replace(placeholder, valuesByPlaceholder[placeholder]?.[noun] ?? placeholder);
    const elsewhere = { workspace_id: (await world.register()).workspaceId };
    const body = BODIES[`${method} ${path}`] ?? (path.endsWith('/agent-token') ? elsewhere : undefined);
    const answer = await narrow.call(method.toLowerCase() as Method, address, body);
    expect([answer.status, answer.body.error?.code]).toEqual([status, status === 404 ? 'not_found' : code]);
    const listed = status === 200 && /\/(conversations|contacts|channels)$/.test(path);
    if (listed) expect(answer.data).toMatchObject({ items: [expect.anything()], next_cursor: null });
  });
});
