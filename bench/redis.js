import { tmpdir } from 'node:os';
import { startProgram } from './processes.js';

/** Starts a Redis without persistence. @returns `{url, pid, stop}` */
export async function startRedis() {
  const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', tmpdir()];
  const server = await startProgram('redis-server', port => ['--port', String(port), ...settings]);
  return { ...server, url: `redis://127.0.0.1:${server.port}` };
}
