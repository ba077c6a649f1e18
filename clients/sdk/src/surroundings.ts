/** Whether this runs in a page or one of its workers. */
export function inBrowser(): boolean {
  return 'document' in globalThis || 'importScripts' in globalThis;
}
