import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianProgram } from './debian.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { stoppedAtEnd } from './jest/leftovers.js';
import { checkout } from './service-process.js';

const PROGRAM = debianProgram('nginx', 'nginx-light');

/** True if nginx is installed. */
export const hasNginx = PROGRAM !== null;

const EXAMPLE = join(checkout, 'docs/examples/nginx.conf');

/** nginx with the documented configuration in front of a test's instances: one process, a free port, no TLS. */
export class Nginx {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** @param instances URLs; they may start listening later */
  static async before(instances: readonly string[]): Promise<Nginx> {
    const folder = mkdtempSync(join(tmpdir(), 'support-chat-nginx-'));
    const port = await freePort();
    writeFileSync(join(folder, 'support-chat.conf'), exampleFor(instances, port, folder));
    writeFileSync(join(folder, 'nginx.conf'), frameOf(folder));
    const args = ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')];
    const child = spawn(PROGRAM ?? 'nginx', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    stoppedAtEnd(async () => void child.kill('SIGKILL'));
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const nginx = new Nginx(`http://127.0.0.1:${port}`, child, folder);
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`nginx exited:\n${stderr}${nginx.log('error.log')}`);
      // nginx itself answers this path.
      const answer = await fetch(`${nginx.url}/metrics`).catch(() => null);
      return answer?.status === 404 ? true : undefined;
    });
    return nginx;
  }

  get wsUrl(): string {
    return this.url.replace('http', 'ws');
  }

  /** Its access and error logs so far. */
  get logs(): string {
    return ['support-chat.log', 'support-chat.error.log', 'error.log'].map(name => this.log(name)).join('');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL');
      await once(this.child, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private log(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }
}

/** The documented file with the test's addresses filled in. @throws if the file lacks an expected line */
function exampleFor(instances: readonly string[], port: number, folder: string): string {
  const serversWith = (_lines: string, parameters: string) =>
    instances.map(url => `    server ${new URL(url).host} ${parameters};\n`).join('');
  const changes: [RegExp, (...match: string[]) => string][] = [
    [/(?: +server chat-\d:3000 ([^;]+);\n)+/g, serversWith],
    [/listen 443 ssl;/g, () => `listen 127.0.0.1:${port};`],
    [/ +ssl_certificate\w* .*\n/g, () => ''],
    [/\/var\/log\/nginx\//g, () => `${folder}/`],
  ];
  return changes.reduce(
    (text, [pattern, by]) => {
      if (!pattern.test(text)) throw new Error(`docs/examples/nginx.conf does not match ${pattern.source}`);
      return text.replace(pattern, by);
    },
    readFileSync(EXAMPLE, 'utf8'),
  );
}

/** The surrounding nginx.conf. Runs in the foreground, so that it can be stopped by its pid. */
function frameOf(folder: string): string {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `  ${name}_temp_path ${folder}/${name};`,
  );
  return [
    'daemon off;',
    'master_process off;',
    `pid ${folder}/nginx.pid;`,
    'events { worker_connections 1024; }',
    'http {',
    ...temp,
    '  include support-chat.conf;',
    '}',
    '',
  ].join('\n');
}
