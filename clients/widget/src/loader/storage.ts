/** Storage that never throws: pages may forbid it, or it may be full. Then values live as long as the page. */
export interface SafeStorage {
  get(key: string): string | null;
  /** @param value null removes the key */
  set(key: string, value: string | null): void;
  keys(): string[];
}

/** @param open returns the browser's storage; may throw */
export function safeStorage(open: () => Storage): SafeStorage {
  const memory = new Map<string, string>();
  const attempt = <T>(use: (storage: Storage) => T, otherwise: T): T => {
    try {
      return use(open());
    } catch {
      return otherwise;
    }
  };
  return {
    get: key => memory.get(key) ?? attempt(storage => storage.getItem(key), null),
    set(key, value) {
      const stored = attempt(storage => {
        if (value === null) storage.removeItem(key);
        else storage.setItem(key, value);
        return true;
      }, false);
      if (value === null || stored) memory.delete(key);
      else memory.set(key, value);
    },
    keys: () => [...new Set([...memory.keys(), ...attempt(storage => Object.keys(storage), [])])],
  };
}
