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
import { unique, World } from '../support/world.js';

const PAGE = 'docs/INTEGRATION.md';
const page = readFileSync(PAGE, 'utf8');

let world: World;
beforeAll(async () => {
  world = await startDemoWorkspace();
});
afterAll(() => world.stop());

/** Runs a snippet as a module whose imports and whose reader's own things are given. */
async function runSnippet(text: string, own: Record<string, unknown>): Promise<void> {
  const importless = text.replace(/^import \{(.+)\} from '@support-chat\/sdk';$/m, 'const {$1} = sdk;');
  const { outputText } = ts.transpileModule(importless, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  const AsyncFunction = Object.getPrototypeOf(runSnippet).constructor as new (
    ...text: string[]
  ) => (...own: unknown[]) => Promise<void>;
  await new AsyncFunction('sdk', ...Object.keys(own), outputText)(sdk, ...Object.values(own));
}

describe('the integrator’s page', () => {
  it('leads through every door with a shell, step by step', async () => {
    const steps = blocksIn(page, 'sh').map(block => block.replaceAll('localhost:3000', new URL(world.app.url).host));
    expect(steps.length).toBeGreaterThan(12);
    const { code, out } = await runShell(steps.join('\necho\n'));
    const failures = [...out.matchAll(/"ok":false.*?"code":"([a-z_]+)"/g)].map(([, failed]) => failed);
    // what the page says will be refused: a ticket twice, a member who has left, a key that is revoked
    expect({ code, failures, out }).toMatchObject({
      code: 0,
      failures: ['sso_ticket_invalid', 'token_revoked', 'invalid_token'],
    });
    for (const told of [
      /^idempotency-replayed: true/im,
      /^Location: http\S+\/dashboard#sso_ticket=sst_/m,
      /"scope":\{"type":"channels","channel_ids":\["[0-9a-f-]{36}"\]\}/,
      /^channels$/m,
      /"workspace_name":"Demo shop"/,
      /^deactivated$/m,
      /^ratelimit-limit: \d+/im,
    ]) {
      expect(out).toMatch(told);
    }
    expect(out).not.toContain('undefined');
  });

  it('does the same with the SDK, from the backend to the dashboard and out again', async () => {
    const desk = await world.desk();
    const made = await desk.owner.api.post('/v1/api-keys', { name: 'shop backend' });
    const user = { email: `${unique('user')}@example.com`, name: 'Mia' };
    const done: unknown[] = [];
    const window = {
      location: { href: '' },
      history: { state: null, replaceState: (_state: unknown, _unused: string, url: string) => void done.push(url) },
    };
    const own = {
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
      askAgain: (code: string) => done.push(code),
      redirect: (status: number, href: string) => {
        done.push(status);
        window.location.href = href;
      },
    };
    const [backend = '', dashboard = '', narrower = '', following = '', leaving = '', ...more] = blocksIn(page, 'ts');
    expect(more).toEqual([]);

    await runSnippet(backend, own);
    await runSnippet(backend, own);
    Object.assign(globalThis, { document: {}, ...window });
    await runSnippet(dashboard, own).finally(() => {
      for (const name of ['document', 'location', 'history']) delete (globalThis as Record<string, unknown>)[name];
    });
    expect(done).toEqual([303, 303, 'tokens', world.app.config.dashboardUrl, []]);

    await runSnippet(narrower, own);
    expect(done.splice(0)).toHaveLength(6);
    // an event is read once nobody's open transaction could still come before it: other tests have some
    await eventually(async () => {
      await runSnippet(following, own);
      return own.copy.types.length >= 3 || undefined;
    });
    expect(own.copy.types).toEqual(['channel.created', 'member.created', 'member.created']);
    await runSnippet(following, own);
    expect(own.copy.types).toHaveLength(3);
    const { items } = (await desk.owner.api.get('/v1/workspace/members')).data;
    const member = items.find(({ email }: { email: string }) => email === user.email);
    await runSnippet(leaving, { ...own, memberId: member.id });
    expect((await desk.owner.api.get(`/v1/workspace/members/${member.id}`)).data.status).toBe('deactivated');
    expect((await desk.owner.api.get('/v1/api-keys')).data.items).toEqual([]);
  });

  it('links to files that are there', () => {
    expect(brokenLinks(PAGE)).toEqual([]);
  });

  it('names no code that is not published', () => {
    const known = new Set(publishedErrors().map(({ code }) => code));
    const named = [...page.matchAll(/\b4\d\d `([a-z_]+)`|^\| (`[a-z_`, ]+`) +\|/gm)].flatMap(([, one, many = '']) =>
      one === undefined ? [...many.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code ?? '') : [one],
    );
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter(code => !known.has(code))).toEqual([]);
  });
});

describe('its table of what a narrow session may do', () => {
  const rows = [...page.matchAll(/^\| (.*`(?:GET|POST|PATCH) .*?) +\| (\d{3})(?: `([a-z_]+)`)?.*\|$/gm)];
  const promises = rows.flatMap(([, routes = '', status, code]) =>
    [...routes.matchAll(/`(GET|POST|PATCH) (\S+)`(.*?)(?=, `|$)/g)].map(
      ([, method = '', path = '', with_ = '']) =>
        [`${method} ${path}${with_}`, method, path, Number(status), code] as const,
    ),
  );
  /** By row of the table: what stands for `{outside}` and the like; a body, where the route wants one. */
  const places: Record<string, Record<string, string>> = {};
  let narrow: Caller;

  beforeAll(async () => {
    const desk = await world.desk();
    const other = await world.channel(desk);
    const [near, far] = [await world.visitor(desk), await world.visitor({ widgetToken: other.widget_token })];
    const [inside, outside] = [await world.conversation(near), await world.conversation(far)];
    places['{outside}'] = { channels: other.id, conversations: outside.id, contacts: far.contactId };
    places['{inside}'] = { conversations: inside.id };
    places['{member}'] = { members: desk.owner.memberId };
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

  it('has rows', () => {
    expect(promises.length).toBeGreaterThan(20);
  });

  it.each(promises)('%s', async (_name, method, path, status, code) => {
    const [, noun = '', place = ''] = /\/([a-z-]+)\/(\{\w+\})/.exec(path) ?? [];
    const address = path.replace(place, places[place]?.[noun] ?? place);
    const elsewhere = { workspace_id: (await world.desk()).workspaceId };
    const body = BODIES[`${method} ${path}`] ?? (path.endsWith('/agent-token') ? elsewhere : undefined);
    const answer = await narrow.call(method.toLowerCase() as Method, address, body);
    expect([answer.status, answer.body.error?.code]).toEqual([status, status === 404 ? 'not_found' : code]);
    const listed = status === 200 && /\/(conversations|contacts|channels)$/.test(path);
    if (listed) expect(answer.data).toMatchObject({ items: [expect.anything()], next_cursor: null });
  });
});
