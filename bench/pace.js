import { setTimeout as delay } from 'node:timers/promises';

/** Processes the items, `atOnce` concurrently. @returns the results in order */
export async function each(items, atOnce, work) {
  const results = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index], index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/** Runs an open loop: starts work at a fixed rate, and a slow one delays no other. @returns all results */
export async function steadily(perSecond, ms, work) {
  const all = [];
  const begun = performance.now();
  for (let index = 0; (index * 1000) / perSecond < ms; index += 1) {
    const wait = begun + (index * 1000) / perSecond - performance.now();
    if (wait > 0) await delay(wait);
    const one = work(index);
    one.catch(() => undefined);
    all.push(one);
  }
  return Promise.all(all);
}

/** Milliseconds on a clock that all processes of the machine share. */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
