import { setTimeout as delay } from 'node:timers/promises';
import { watch } from '../measure/processor.js';
import { listen } from './listener.js';

/**
 * Opens sockets, `atOnce` concurrently, and closes each as soon as it is connected, for `seconds`; waits `pauseMs`
 * after each.
 * @returns `{rate, operations, cpu}` of connected sockets
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
