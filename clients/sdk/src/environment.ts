/** Returns true in a browser page or worker. */
export function isBrowser(): boolean {
  return 'document' in globalThis || 'importScripts' in globalThis;
}
