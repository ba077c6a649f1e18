import { uuid } from './uuid.js';

/** Storage for the visitor's id, such as `localStorage`. */
export interface KeyValueStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem?(key: string): void;
}

/**
 * Returns the visitor's id on this device. The id is generated once per widget token and stored, so that a returning
 * visitor is the same contact. Without storage (Node, a browser that forbids it) each call returns a new id.
 */
export function loadOrCreateId(widgetToken: string, store: KeyValueStore | undefined = pageStore()): string {
  const key = `support-chat:${widgetToken}:external_id`;
  try {
    const known = store?.getItem(key);
    if (known) return known;
    const created = `anon_${uuid()}`;
    store?.setItem(key, created);
    return created;
  } catch {
    return `anon_${uuid()}`;
  }
}

/** Returns the storage of a page only: Node's `localStorage` is one file for all visitors of a process. */
export function pageStore(): KeyValueStore | undefined {
  if (!('document' in globalThis)) return undefined;
  try {
    return (globalThis as { localStorage?: KeyValueStore }).localStorage;
  } catch {
    return undefined;
  }
}
