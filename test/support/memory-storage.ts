import type { SafeStorage } from '../../clients/widget/src/loader/storage.js';

/** An empty storage of a browser, outside of one. */
export function memoryStorage(): SafeStorage {
  const values = new Map<string, string>();
  return {
    get: key => values.get(key) ?? null,
    set: (key, value) => void (value === null ? values.delete(key) : values.set(key, value)),
    keys: () => [...values.keys()],
  };
}
