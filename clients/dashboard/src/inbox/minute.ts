import { signal } from '@preact/signals';

const EVERY_MS = 20_000;

/** The present time, in milliseconds, for relative times: components that read it are drawn again as it goes on. */
export const minute = signal(Date.now());

setInterval(() => {
  if (document.visibilityState === 'visible') minute.value = Date.now();
}, EVERY_MS);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') minute.value = Date.now();
});
