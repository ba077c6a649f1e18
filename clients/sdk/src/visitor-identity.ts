import { uuid } from './uuid.js';

/** Where a browser remembers who it is; `localStorage` is one. */
export interface KeyValueStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/**
 * The visitor's own id on this device: made once per widget token and kept, so that whoever returns is the same
 * contact. Where nothing can be kept (Node, a browser that forbids it) it is new each time.
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

/** Only a page's: Node's own `localStorage` is one file for every visitor of a process. */
function pageStore(): KeyValueStore | undefined {
  if (!('document' in globalThis)) return undefined;
  try {
    return (globalThis as { localStorage?: KeyValueStore }).localStorage;
  } catch {
    return undefined;
  }
}
