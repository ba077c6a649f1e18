import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/**
 * Source text of the thread. A separate file would have different paths under the tests' compiler and in the build.
 * On Linux a thread has its own priority. The lowest one gives the main thread the core first: at priority 10 the main
 * thread waited about twice as long during a login storm, and no more passwords were checked. On other systems the
 * priority is the whole process's and stays unchanged.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const bcrypt = require(workerData.bcrypt);
try {
  if (process.platform === 'linux') require('node:os').setPriority(0, 19);
} catch {
  // a container may forbid it; the queue still limits hashing
}
parentPort.on('message', call => {
  if (call === null) return parentPort.close();
  const { id, work, values } = call;
  try {
    parentPort.postMessage({ id, result: bcrypt[work](...values) });
  } catch (error) {
    parentPort.postMessage({ id, error: String(error) });
  }
});`;

interface Reply {
  id: number;
  result?: unknown;
  error?: string;
}

interface PendingCall {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Runs bcrypt on a separate thread with low priority. The thread starts on first use, and again after a crash. */
export class BcryptThread {
  private worker: Worker | undefined;
  private stopped = false;
  private readonly pending = new Map<number, PendingCall>();
  private lastCallId = 0;
  /** The worker must not inherit the async context of the request that starts it. */
  private readonly runOutsideRequest = AsyncLocalStorage.snapshot();

  hash(password: string, cost: number): Promise<string> {
    return this.call<string>('hashSync', [password, cost]);
  }

  compare(password: string, hash: string): Promise<boolean> {
    return this.call<boolean>('compareSync', [password, hash]);
  }

  /**
   * Ends the thread after the calls it already has; later calls reject. A thread that is terminated while bcrypt computes
   * may abort the whole process.
   */
  async stop(): Promise<void> {
    this.stopped = true;
    if (!this.worker) return;
    this.worker.ref();
    this.worker.postMessage(null);
    await once(this.worker, 'exit');
  }

  private call<T>(work: 'hashSync' | 'compareSync', values: readonly unknown[]): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.stopped) return reject(new Error('the password thread was stopped'));
      const id = (this.lastCallId += 1);
      this.pending.set(id, { resolve: result => resolve(result as T), reject });
      this.ensureWorker().postMessage({ id, work, values });
    });
  }

  private ensureWorker(): Worker {
    return (this.worker ??= this.runOutsideRequest(() => this.start()));
  }

  private start(): Worker {
    const bcrypt = createRequire(import.meta.url).resolve('bcrypt');
    const worker = new Worker(PROGRAM, { eval: true, workerData: { bcrypt } });
    worker.unref();
    worker.on('message', (reply: Reply) => this.settle(reply));
    worker.on('error', error => this.failPending(worker, error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => this.failPending(worker, new Error('the password thread exited')));
    return worker;
  }

  private settle({ id, result, error }: Reply): void {
    const pendingCall = this.pending.get(id);
    this.pending.delete(id);
    if (error === undefined) pendingCall?.resolve(result);
    else pendingCall?.reject(new Error(error));
  }

  private failPending(worker: Worker, error: Error): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
  }
}
