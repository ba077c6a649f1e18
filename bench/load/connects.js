import { setTimeout as delay } from 'node:timers/promises';
import { watch } from '../measure/processor.js';
import { listen } from './listener.js';

/**
 * Opens sockets and closes each as soon as it is in, so many at once, for so long; with `pauseMs`, no
 * faster than that.
 * @returns `{rate, operations, cpu}`: of sockets that were in
 */
export async function connects({ port, sockets, atOnce, pauseMs = 0, seconds, watched }) {
  let operations = 0;
  let turn = 0;
  const nothing = () => undefined;
  const watching = watch(watched, process.ppid);
  const begun = performance.now();
  const until = begun + seconds * 1000;
  const worker = async () => {
    while (performance.now() < until) {
      const socket = await listen(port, sockets[turn++ % sockets.length], nothing, nothing);
      operations += 1;
      socket.close();
      if (pauseMs > 0) await delay(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const elapsed = (performance.now() - begun) / 1000;
  return { rate: operations / elapsed, operations, cpu: watching() };
}
