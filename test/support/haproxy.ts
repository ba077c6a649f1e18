import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianProgram } from './debian.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { checkout } from './service-process.js';

const PROGRAM = debianProgram('haproxy', 'haproxy');

/** Whether there is an HAProxy to test with. */
export const hasHaProxy = PROGRAM !== null;

const EXAMPLE = join(checkout, 'docs/examples/haproxy.cfg');

/** The HAProxy of the documentation, before instances of a test: one process, on a free port, without TLS. */
export class HaProxy {
  /** Its log of requests, and of instances that come and go. */
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

  /** @param instances their addresses, on which they may listen later */
  static async before(instances: readonly string[]): Promise<HaProxy> {
    const folder = mkdtempSync(join(tmpdir(), 'support-chat-haproxy-'));
    const port = await freePort();
    writeFileSync(join(folder, 'haproxy.cfg'), exampleFor(instances, port));
    // -db: in the foreground, so that it can be stopped by its pid
    const args = ['-db', '-f', join(folder, 'haproxy.cfg')];
    const child = spawn(PROGRAM ?? 'haproxy', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const haproxy = new HaProxy(`http://127.0.0.1:${port}`, child, folder);
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`HAProxy ended:\n${haproxy.logs}`);
      // it answers this one itself
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

/** The documented file, with what differs from one operator to the next put in. @throws when it is not as expected */
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
    (text, [what, by]) => {
      if (!what.test(text)) throw new Error(`docs/examples/haproxy.cfg has no ${what.source}`);
      return text.replace(what, () => by);
    },
    readFileSync(EXAMPLE, 'utf8'),
  );
}
