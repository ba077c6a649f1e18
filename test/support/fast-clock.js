/** Loaded with `node --import`: makes `performance.now()` run 30 times as fast. Timers keep their speed. */
const FACTOR = 30;
const now = performance.now.bind(performance);
Object.defineProperty(performance, 'now', { value: () => now() * FACTOR });
