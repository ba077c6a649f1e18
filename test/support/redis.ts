import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { debianProgram } from './debian.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { stoppedAtEnd } from './jest/leftovers.js';

const program = debianProgram('redis-server', 'redis-server');

/** True if Redis is installed. */
export const hasRedis = program !== null;

/** A Redis without persistence that belongs to one test. After `kill` it can start again on the same port. */
export class RedisServer {
  private child: ChildProcess | undefined;

  private constructor(private readonly port: number) {}

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    stoppedAtEnd(() => server.kill());
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    this.child = spawn(program ?? 'redis-server', options, { stdio: 'ignore' });
    await eventually(async () => (await this.sendCommand('PING')) === '+PONG' || undefined);
  }

  /** Kills the process, as a power failure would. */
  async kill(): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Stops the process from responding until `resume`. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Deletes all data. */
  flush(): Promise<string | null> {
    return this.sendCommand('FLUSHALL');
  }

  private sendCommand(command: string): Promise<string | null> {
    return new Promise(resolve => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write(`${command}\r\n`));
      socket.once('data', data => {
        resolve(data.toString('utf8').trim());
        socket.end();
      });
      socket.once('error', () => resolve(null));
    });
  }
}
