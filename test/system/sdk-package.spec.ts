import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import ts from 'typescript';
import { freePort } from '../support/free-port.js';
import { World } from '../support/world.js';

const run = promisify(execFile);

/**
 * A consumer's program, valid in any module format. It prints the workspace's name and the message of a network error.
 */
const CONSUMER = `
import { ApiError, ServerClient, type ErrorCode, type ServerEvent } from '@support-chat/sdk';

declare const process: { argv: string[] };
const codes: ErrorCode[] = ['conversation_exists', 'network_error', 'published_by_a_newer_service'];

function subjectOf(event: ServerEvent): string {
  switch (event.type) {
    case 'message.created':
      return event.data.message.id;
    case 'member.created':
      return event.data.email;
    default:
      return event.type;
  }
}

async function main([, , baseUrl = '', apiKey = '', closed = '']: string[]): Promise<void> {
  const server = new ServerClient({ baseUrl, apiKey });
  const workspace = await server.workspace.get();
  console.log(workspace.name, codes.length, typeof subjectOf);
  try {
    await new ServerClient({ baseUrl: closed, apiKey }).workspace.get();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'network_error') console.log(error.message);
  }
}

void main(process.argv);
`;

/** A server's program, which verifies a delivery that it has signed itself. */
const WEBHOOK_CONSUMER = `
import { verifyWebhook, WebhookSignatureError, type BotDelivery, type WebhookEvent } from '@support-chat/sdk/webhooks';

declare const process: { argv: string[] };
declare const console: { log(...text: unknown[]): void };
const [, , secret = '', body = '', id = '', timestamp = '', signature = ''] = process.argv;
const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };

export function questionOf(delivery: BotDelivery): string | null {
  return delivery.event === 'message.created' ? delivery.message.content : null;
}

const event: WebhookEvent = verifyWebhook(body, headers, secret);
console.log(event.type);
try {
  verifyWebhook(body + ' ', headers, secret);
} catch (error) {
  console.log(error instanceof WebhookSignatureError);
}
`;

/** Two mistakes that only the types reveal. */
const MISTAKEN = `
import { ServerClient, type ServerEvent } from '@support-chat/sdk';
export const result = new ServerClient({ baseUrl: '', apiKey: '' }).workspace.fetch();
export function wrong(event: ServerEvent): unknown {
  return event.type === 'message.created' ? event.data.short_code : null;
}
`;

interface Resolution {
  type: 'commonjs' | 'module';
  end: string;
  emitted: string;
  options: ts.CompilerOptions;
}

const { ModuleKind, ModuleResolutionKind } = ts;
const RESOLUTIONS: Record<string, Resolution> = {
  node10: {
    type: 'commonjs',
    end: 'ts',
    emitted: 'js',
    options: {
      module: ModuleKind.CommonJS,
      moduleResolution: ModuleResolutionKind.Node10,
      ignoreDeprecations: '6.0',
    },
  },
  'node16 from CommonJS': {
    type: 'commonjs',
    end: 'cts',
    emitted: 'cjs',
    options: { module: ModuleKind.Node16, moduleResolution: ModuleResolutionKind.Node16 },
  },
  nodenext: {
    type: 'module',
    end: 'mts',
    emitted: 'mjs',
    options: { module: ModuleKind.NodeNext, moduleResolution: ModuleResolutionKind.NodeNext },
  },
  bundler: {
    type: 'module',
    end: 'ts',
    emitted: 'js',
    options: { module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler },
  },
};

describe('The SDK packed and installed in another project', () => {
  let root: string;
  let elsewhere: string;
  let packed: string[];
  let world: World;

  /** Packs a copy of the folder without its build, so that `prepack` must build it and no other build is changed. */
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'support-chat-sdk-'));
    const copy = join(root, 'checkout/clients/sdk');
    cpSync('clients/sdk', copy, { recursive: true, filter: path => !/\/(dist|node_modules)$/.test(path) });
    cpSync('docs/generated', join(root, 'checkout/docs/generated'), { recursive: true });
    symlinkSync(resolve('node_modules'), join(root, 'checkout/node_modules'));
    elsewhere = join(root, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'package.json'), '{ "private": true }');
    const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', elsewhere], { cwd: copy });
    const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [Packed];
    packed = files.map(({ path }) => path);
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', `./${filename}`], {
      cwd: elsewhere,
    });
    world = await World.start();
  }, 300_000);
  afterAll(async () => {
    await world?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  interface Packed {
    filename: string;
    files: { path: string }[];
  }

  /**
   * Compiles a program in a project with this module resolution. @returns its errors, and the path of the emitted file
   */
  function compile(name: string, program: string): { errors: string[]; emitted: string } {
    const { type, end, emitted, options } = RESOLUTIONS[name]!;
    const folder = mkdtempSync(join(elsewhere, 'consumer-'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
    const file = join(folder, `consumer.${end}`);
    writeFileSync(file, program);
    const compiled = ts.createProgram([file], {
      ...options,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      types: [],
      strict: true,
    });
    compiled.emit();
    const errors = ts
      .getPreEmitDiagnostics(compiled)
      .map(found => ts.flattenDiagnosticMessageText(found.messageText, ' '));
    return { errors, emitted: join(folder, `consumer.${emitted}`) };
  }

  it('The package contains both builds with their types and its README, and no sources', () => {
    expect(packed).toEqual(
      expect.arrayContaining([
        'README.md',
        'package.json',
        'dist/index.js',
        'dist/index.d.ts',
        'dist/cjs/index.js',
        'dist/cjs/index.d.ts',
        'dist/webhooks.js',
        'dist/webhooks.d.ts',
        'dist/cjs/webhooks.js',
        'dist/cjs/webhooks.d.ts',
        'dist/cjs/package.json',
      ]),
    );
    expect(packed.filter(path => !/^(dist\/|README\.md$|package\.json$)/.test(path))).toEqual([]);
    expect(readdirSync(join(elsewhere, 'node_modules')).filter(name => !name.startsWith('.'))).toEqual([
      '@support-chat',
    ]);
  });

  it.each(Object.keys(RESOLUTIONS))('A consumer type-checks and runs with module resolution %s', async name => {
    const { errors, emitted } = compile(name, CONSUMER);
    expect(errors).toEqual([]);
    const desk = await world.desk();
    const key = (await world.apiKey(desk)).token ?? '';
    const closed = `127.0.0.1:${await freePort()}`;
    const { stdout } = await run(process.execPath, [emitted, world.app.url, key, `http://${closed}`], {
      cwd: elsewhere,
    });
    const [greeting = '', failure] = stdout.trim().split('\n');
    expect(greeting).toMatch(/^Desk-\S+ 3 function$/);
    expect(failure).toBe(`GET http://${closed}/v1/workspace got no answer: connect ECONNREFUSED ${closed}.`);
  });

  it.each(Object.keys(RESOLUTIONS))(
    'With module resolution %s the compiler reports the mistakes of a consumer',
    name => {
      expect(compile(name, MISTAKEN).errors).toEqual([
        expect.stringContaining("Property 'fetch' does not exist"),
        expect.stringContaining("Property 'short_code' does not exist"),
      ]);
    },
  );

  it('A CommonJS program gets the same exports from require() as an ES module from import', async () => {
    const names = async (script: string, type: string): Promise<string[]> => {
      const { stdout } = await run(process.execPath, [`--input-type=${type}`, '-e', script], { cwd: elsewhere });
      return JSON.parse(stdout) as string[];
    };
    const required = await names(
      "console.log(JSON.stringify(Object.keys(require('@support-chat/sdk')).sort()))",
      'commonjs',
    );
    const imported = await names(
      "import * as sdk from '@support-chat/sdk'; console.log(JSON.stringify(Object.keys(sdk).sort()))",
      'module',
    );
    expect(required).toEqual(imported);
    expect(imported).toContain('ServerClient');
  });

  it('A bundle for pages contains no code for the sockets of Node.js, unlike a bundle for a server', async () => {
    writeFileSync(join(elsewhere, 'entry.js'), "export { AgentClient } from '@support-chat/sdk';");
    const options = { root: elsewhere, configFile: false, logLevel: 'error', ssr: { noExternal: true } };
    const bundle = async (target: object): Promise<string> => {
      const build = JSON.stringify({ ...options, build: { write: false, minify: false, ...target } });
      const script = `const { build } = await import('vite'); console.log([await build(${build})].flat()[0].output[0].code)`;
      return (await run(process.execPath, ['--input-type=module', '-e', script])).stdout;
    };
    const forPages = await bundle({ lib: { entry: 'entry.js', formats: ['es'] } });
    const forServers = await bundle({ ssr: 'entry.js' });
    expect([forPages, forServers].map(code => code.includes('class AgentClient'))).toEqual([true, true]);
    expect([forPages, forServers].map(code => code.includes('unexpected-response'))).toEqual([false, true]);
  });

  it('The entry for pages loads no file of the entry for webhooks', async () => {
    const loaded = await run(
      process.execPath,
      ['-e', "require('@support-chat/sdk'); console.log(Object.keys(require.cache).join())"],
      { cwd: elsewhere },
    );
    expect(loaded.stdout).toContain('dist/cjs/index.js');
    expect(loaded.stdout).not.toContain('dist/cjs/webhooks.js');
    const without = run(process.execPath, ['-e', "require('@support-chat/sdk/webhooks')"], { cwd: elsewhere });
    await expect(without).rejects.toThrow("Cannot find module 'standardwebhooks'");
  });

  describe('With standardwebhooks installed', () => {
    beforeAll(() => {
      symlinkSync(resolve('node_modules/standardwebhooks'), join(elsewhere, 'node_modules/standardwebhooks'));
    });

    it.each(Object.keys(RESOLUTIONS))(
      'A server’s program verifies deliveries with module resolution %s',
      async name => {
        const { errors, emitted } = compile(name, WEBHOOK_CONSUMER);
        expect(errors).toEqual([]);
        const secret = `whsec_${Buffer.from('a secret of this test').toString('base64')}`;
        const [body, at] = [JSON.stringify({ type: 'message.created' }), new Date()];
        const signature = new Webhook(secret).sign('e1', at, body);
        const delivery = [secret, body, 'e1', String(Math.floor(at.getTime() / 1_000)), signature];
        const { stdout } = await run(process.execPath, [emitted, ...delivery], { cwd: elsewhere });
        expect(stdout.trim().split('\n')).toEqual(['message.created', 'true']);
      },
    );
  });
});
