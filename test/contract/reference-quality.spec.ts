import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiDocument } from '../../src/platform/openapi/document.js';
import type { JsonObject } from '../../src/platform/schemas/json.js';
import type { Operation } from '../../src/platform/openapi/operation.js';
import type { Answer, Caller, Method } from '../support/http.js';
import { referenceFaults } from '../support/reference-faults.js';
import { World } from '../support/world.js';

const FILE = 'docs/generated/openapi.json';
const api = JSON.parse(readFileSync(FILE, 'utf8')) as ApiDocument;

type Fault = (document: ApiDocument) => unknown;

function withFault(applyFault: Fault): ApiDocument {
  const document = structuredClone(api);
  applyFault(document);
  return document;
}

function operationOf(document: ApiDocument, method: string, path: string): Operation {
  const operation = document.paths[path]?.[method];
  if (!operation) throw new Error(`no ${method} ${path}`);
  return operation;
}

describe('The quality of the API reference', () => {
  it('The reference describes each tag and parameter, declares public routes, and has valid examples', () => {
    expect(referenceFaults(api)).toEqual([]);
  });

  const login = (document: ApiDocument) => operationOf(document, 'post', '/v1/auth/login');
  const planted: [string, Fault, string][] = [
    ['no licence', document => delete document.info.license, 'no licence'],
    ['no server', document => (document.servers = []), 'no servers'],
    [
      'no link to the realtime guide',
      document => delete (document as Partial<ApiDocument>).externalDocs,
      'no externalDocs',
    ],
    ['a tag without a text', document => (document.tags[0]!.description = ''), 'has no description'],
    ['an undeclared tag', document => (login(document).tags = ['Elsewhere']), 'is not declared'],
    ['a public route without security', document => delete login(document).security, 'public, but lacks security'],
    [
      'a closed route without a credential',
      document => (operationOf(document, 'get', '/v1/bots').security = []),
      'lists no credential',
    ],
    [
      'a parameter without a description',
      document => delete operationOf(document, 'get', '/v1/bots/{id}').parameters?.[0]?.description,
      'id has no description',
    ],
    ['a summary of two lines', document => (login(document).summary = 'x'.repeat(101)), 'longer than 100 characters'],
    [
      'a body that is required though nothing in it is',
      document => (operationOf(document, 'post', '/v1/conversations/{id}/take').requestBody!.required = true),
      'the body is required',
    ],
    [
      'a body that is not required though a field is',
      document => (login(document).requestBody!.required = false),
      'the body is not required',
    ],
    [
      'a body without an example',
      document => delete login(document).requestBody!.content['application/json']!.example,
      'the body has no example',
    ],
    [
      'a body whose example does not fit',
      document =>
        (operationOf(document, 'post', '/v1/bots').requestBody!.content['application/json']!.example = { name: 1 }),
      'v1~1bots/post/requestBody/content/application~1json does not match',
    ],
    [
      'a field whose example does not fit',
      document => ((fieldOf(document, 'CreatedApiKeyView', 'key') as JsonObject).example = 'svc_sk_short'),
      'CreatedApiKeyView/properties/key does not match',
    ],
    [
      'a failure whose example does not fit',
      document => {
        const [first] = Object.values(document.components.responses ?? {}) as never as Failure[];
        first!.content['application/json'].example.error.code = 'made_up';
      },
      /^the example at \/components\/responses.* does not match/.source,
    ],
    [
      'a text without an example',
      document => delete fieldOf(document, 'MemberView', 'name').example,
      'MemberView.name has no example',
    ],
  ];

  it('The check of the reference finds every planted fault', () => {
    const found = referenceFaults(
      withFault(document => {
        for (const [, applyFault] of planted) applyFault(document);
      }),
    );
    const missed = planted.filter(([, , fault]) => !found.some(line => new RegExp(fault).test(line)));
    expect(missed.map(([name]) => name)).toEqual([]);
    expect(found.length).toBeGreaterThanOrEqual(planted.length);
  });

  interface Failure {
    content: { 'application/json': { example: { error: { code: string } } } };
  }

  function fieldOf(document: ApiDocument, schema: string, field: string): JsonObject {
    return (document.components.schemas[schema]?.properties as Record<string, JsonObject>)[field]!;
  }
});

describe('The redocly linter', () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'support-chat-reference-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  interface Verdict {
    status: number | null;
    rules: string[];
  }

  function lint(document: ApiDocument): Verdict {
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    const { status, stdout } = spawnSync(
      process.execPath,
      ['node_modules/@redocly/cli/bin/cli.js', 'lint', file, '--config', 'redocly.yaml', '--format', 'json'],
      { encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
    );
    const { problems } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { problems: { ruleId: string }[] };
    return { status, rules: [...new Set(problems.map(({ ruleId }) => ruleId))] };
  }

  it('The reference passes redocly’s recommended rules without an error or a warning', () => {
    expect(lint(api)).toEqual({ status: 0, rules: [] });
  });

  it('The linter fails on a route without security, a missing server, a missing licence and an invalid example', () => {
    const { status, rules } = lint(
      withFault(document => {
        delete operationOf(document, 'post', '/v1/auth/login').security;
        document.servers = [];
        delete document.info.license;
        operationOf(document, 'post', '/v1/bots').requestBody!.content['application/json']!.example = { name: 1 };
      }),
    );
    expect(status).toBe(1);
    expect(rules.sort()).toEqual(
      ['info-license', 'no-empty-servers', 'no-invalid-media-type-examples', 'security-defined'].sort(),
    );
  });

  it('`npm run check` lints the generated reference', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    expect(scripts['lint:api']).toContain(`redocly lint ${FILE}`);
    expect(readFileSync('bin/check.js', 'utf8')).toContain('lint:api');
  });
});

describe('Optional request bodies', () => {
  let world: World;
  beforeAll(async () => void (world = await World.start()));
  afterAll(() => world.stop());

  /** Error codes of operations whose empty body is refused, by operation. */
  const REFUSED: Record<string, string> = {
    'POST /v1/conversations/{conversation_id}/messages': 'content_required',
    'POST /v1/widget/conversations/{conversation_id}/messages': 'content_required',
    'POST /v1/notifications/read': 'validation_failed',
  };

  it('A request without an optional body is answered like one with an empty object', async () => {
    const optional = Object.entries(api.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { requestBody }]) => requestBody?.required === false)
        .map(([method]) => ({ name: `${method.toUpperCase()} ${path}`, method: method as Method, path })),
    );
    expect(optional.length).toBeGreaterThanOrEqual(19);
    for (const { name, method, path } of optional) {
      const answers: [number, string | undefined][] = [];
      for (const body of [undefined, {}]) {
        const answer = await sendRequest(method, path, body);
        answers.push([answer.status, answer.body.ok ? undefined : answer.error.code]);
      }
      const refusal = REFUSED[name];
      const [first] = answers;
      expect([name, ...answers]).toEqual([name, first, first]);
      if (refusal === undefined) expect([name, [200, 201].includes(first?.[0] ?? 0)]).toEqual([name, true]);
      else expect([name, first]).toEqual([name, [400, refusal]]);
    }
  });

  /** Sends the request in a new workspace, so that earlier requests have no effect on it. */
  async function sendRequest(method: Method, path: string, body: unknown): Promise<Answer<unknown>> {
    const desk = await world.desk();
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor);
    const before = { reopen: 'resolve', wake: 'snooze' }[path.split('/').at(-1) ?? ''];
    if (before) await desk.owner.api.post(`/v1/conversations/${conversation.id}/${before}`);
    const ids: Record<string, string> = {
      conversations: conversation.id,
      contacts: visitor.contactId,
      channels: desk.channelId,
      members: desk.owner.memberId,
    };
    const [, noun = ''] = /^\/v1\/([a-z-]+)\/\{/.exec(path) ?? [];
    if (noun !== '' && !(noun in ids)) {
      const example = operationOf(api, 'post', `/v1/${noun}`).requestBody?.content['application/json']?.example;
      ids[noun] = (await desk.owner.api.post(`/v1/${noun}`, example)).data.id;
    }
    const url = path.replace(/([a-z-]+)\/\{\w+\}/g, (_whole, kind: string) => `${kind}/${ids[kind]}`);
    return callerOf(path).call(method, url, body);

    function callerOf(route: string): Caller {
      if (/\/auth\/(refresh|logout)$/.test(route)) return world.as(desk.owner.refreshToken);
      return route.startsWith('/v1/widget/') ? visitor.api : desk.owner.api;
    }
  }
});
