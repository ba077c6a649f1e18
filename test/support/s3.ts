import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Settings } from '../../src/config/config.js';
import { debianProgram } from './debian.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { stoppedAtEnd } from './jest/leftovers.js';

/** Debian's Python, which alone finds Debian's packages. */
const PYTHON = '/usr/bin/python3';
const PROGRAM = fileURLToPath(new URL('s3-server.py', import.meta.url));
const STORAGE_SERVERS = ['swift-account-server', 'swift-container-server', 'swift-object-server'];
const SERVERS = ['swift-proxy-server', ...STORAGE_SERVERS].map(name =>
  debianProgram(name, name.replace('-server', '')),
);
const START_MS = 30_000;

/** True if OpenStack Swift is installed. */
export const hasS3 = !SERVERS.includes(null);

/** A store with an S3 interface (OpenStack Swift) and one bucket. After `kill` it can start again with its files. */
export class S3Server {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly port: number,
    private readonly folder: string,
  ) {}

  static async start(): Promise<S3Server> {
    const server = new S3Server(await freePort(), await mkdtemp(join(tmpdir(), 'support-chat-s3-')));
    stoppedAtEnd(() => server.stop());
    await server.start();
    return server;
  }

  get settings(): S3Settings {
    return {
      endpoint: `http://127.0.0.1:${this.port}`,
      region: 'us-east-1',
      bucket: 'files',
      accessKeyId: 'desk:service',
      secretAccessKey: 'the-secret-of-a-test',
      pathStyle: true,
    };
  }

  /** The environment of a service that keeps its files here. */
  get environment(): Record<string, string> {
    const { endpoint, bucket, accessKeyId, secretAccessKey } = this.settings;
    return {
      S3_ENDPOINT: endpoint ?? '',
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    };
  }

  async start(): Promise<void> {
    const { accessKeyId, secretAccessKey } = this.settings;
    const options = [PROGRAM, this.folder, String(this.port), accessKeyId, secretAccessKey];
    this.child = spawn(PYTHON, options, { stdio: 'ignore' });
    const client = this.client();
    const { bucket: Bucket } = this.settings;
    const create = () =>
      client.send(new CreateBucketCommand({ Bucket })).then(() => true as const, trueIfCreatedBefore);
    await eventually(create, START_MS);
    client.destroy();
  }

  /** Kills the process, as a power failure would. */
  async kill(): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** A client without retries. */
  client(): S3Client {
    const { region, accessKeyId, secretAccessKey, endpoint } = this.settings;
    return new S3Client({
      region,
      endpoint: endpoint ?? '',
      forcePathStyle: true,
      maxAttempts: 1,
      credentials: { accessKeyId, secretAccessKey },
    });
  }
}

function trueIfCreatedBefore({ name }: Error): true | undefined {
  return name === 'BucketAlreadyOwnedByYou' || name === 'BucketAlreadyExists' ? true : undefined;
}
