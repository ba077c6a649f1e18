/** Loaded before the service (`node --import`): `performance.now()` runs 30 times as fast, timers run as ever. */
const FACTOR = 30;
const now = performance.now.bind(performance);
Object.defineProperty(performance, 'now', { value: () => now() * FACTOR });
