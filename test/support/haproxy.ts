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

const PROGRAM = debianProgram('haproxy', 'haproxy');

/** True if HAProxy is installed. */
export const hasHaProxy = PROGRAM !== null;

const EXAMPLE = join(checkout, 'docs/examples/haproxy.cfg');

/** HAProxy with the documented configuration in front of a test's instances: one process, a free port, no TLS. */
export class HaProxy {
  /** Log of requests and of instances going up and down. */
  logs = '';

  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.logs += chunk.toString()));
    }
  }

  /** @param instances URLs; they may start listening later */
  static async before(instances: readonly string[]): Promise<HaProxy> {
    const folder = mkdtempSync(join(tmpdir(), 'support-chat-haproxy-'));
    const port = await freePort();
    writeFileSync(join(folder, 'haproxy.cfg'), exampleFor(instances, port));
    // -db keeps it in the foreground, so that it can be stopped by its pid.
    const args = ['-db', '-f', join(folder, 'haproxy.cfg')];
    const child = spawn(PROGRAM ?? 'haproxy', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    stoppedAtEnd(async () => void child.kill('SIGKILL'));
    const haproxy = new HaProxy(`http://127.0.0.1:${port}`, child, folder);
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`HAProxy exited:\n${haproxy.logs}`);
      // HAProxy itself answers this path.
      const answer = await fetch(`${haproxy.url}/metrics`).catch(() => null);
      return answer?.status === 404 ? true : undefined;
    });
    return haproxy;
  }

  get wsUrl(): string {
    return this.url.replace('http', 'ws');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL');
      await once(this.child, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The documented file with the test's addresses filled in. @throws if the file lacks an expected line */
function exampleFor(instances: readonly string[], port: number): string {
  const changes: [RegExp, string][] = [
    ...instances.map((url, index): [RegExp, string] => [
      new RegExp(` chat-${index + 1}:3000\\b`, 'g'),
      ` ${new URL(url).host}`,
    ]),
    [/bind :443 ssl .*$/gm, `bind 127.0.0.1:${port}`],
    [/log \/dev\/log local0 info/g, 'log stdout format raw local0 info'],
  ];
  return changes.reduce(
    (text, [pattern, by]) => {
      if (!pattern.test(text)) throw new Error(`docs/examples/haproxy.cfg does not match ${pattern.source}`);
      return text.replace(pattern, () => by);
    },
    readFileSync(EXAMPLE, 'utf8'),
  );
}
