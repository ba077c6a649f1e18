import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/** Threads share a pid, as the first processes of containers with a shared folder do. */
const THREADS = 6;
const ROUNDS = 25;

const SCRIPT = `
const { parentPort, workerData } = require('node:worker_threads');
import(workerData.module).then(({ localSecrets }) => {
  const { gate, folders } = workerData;
  const answers = folders.map((folder, round) => {
    // all threads begin a round together
    Atomics.add(gate, round, 1);
    while (Atomics.load(gate, round) < workerData.threads);
    try {
      return localSecrets(folder);
    } catch (error) {
      return { error: error.message };
    }
  });
  parentPort.postMessage(answers);
});`;

describe('The secrets that a first start creates', () => {
  let root: string;
  beforeAll(() => void (root = mkdtempSync(join(tmpdir(), 'support-chat-secrets-'))));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('First starts that race in one folder all use the secrets stored there, even with equal pids.', async () => {
    const folders = Array.from({ length: ROUNDS }, (_empty, round) => join(root, String(round)));
    const gate = new Int32Array(new SharedArrayBuffer(4 * ROUNDS));
    const workerData = { module: resolve('dist/config/local-secrets.js'), gate, folders, threads: THREADS };
    const answers = await Promise.all(
      Array.from(
        { length: THREADS },
        () =>
          new Promise<object[]>((done, fail) => {
            new Worker(SCRIPT, { eval: true, workerData }).once('message', done).once('error', fail);
          }),
      ),
    );
    for (const [round, folder] of folders.entries()) {
      expect(readdirSync(folder)).toEqual(['secrets.json']);
      const kept = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')) as object;
      expect(answers.map(thread => thread[round])).toEqual(Array.from({ length: THREADS }, () => kept));
    }
  });
});
