import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDashboardBuilt, ensureWidgetBuilt } from '../../support/built-clients.js';
import type { TestDatabase } from '../../support/database.js';
import { emptyDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { stoppedAtEnd } from '../../support/jest/leftovers.js';
import { rememberSecrets } from '../../support/known-secrets.js';
import { checkout, ensureBuilt } from '../../support/service-process.js';

/** The built demo in its own process, with one dialogue. */
export class DemoProcess {
  readonly stop = stoppedAtEnd(() => this.shutDown());
  private output = '';
  private readonly ended: Promise<unknown>;

  private constructor(
    private readonly database: TestDatabase,
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {
    child.stdout!.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.ended = new Promise(resolve => child.once('close', resolve));
  }

  static async start(): Promise<DemoProcess> {
    ensureBuilt();
    ensureWidgetBuilt();
    ensureDashboardBuilt();
    const folder = mkdtempSync(join(tmpdir(), 'support-chat-demo-'));
    const database = await emptyDatabase();
    const { PATH } = process.env;
    const env = { PATH, BCRYPT_COST: '4', DATA_DIR: folder, DATABASE_URL: database.url, PORT: '0' };
    const argv = [join(checkout, 'dist/bin/demo/main.js'), '--speed', '0', '--limit', '1'];
    return new DemoProcess(
      database,
      folder,
      spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] }),
    );
  }

  /** The first address that the demo prints. */
  address(): Promise<string> {
    return eventually(() => /http:\/\/localhost:\d+\S*/.exec(this.output)?.[0], 120_000);
  }

  private async shutDown(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
    rememberSecrets(this.output);
    await this.database.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
