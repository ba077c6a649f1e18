/** Whether this runs in a page or one of its workers. */
export function isBrowser(): boolean {
  return 'document' in globalThis || 'importScripts' in globalThis;
}
