import type { KeyUse } from './key-rotation.service.js';

/**
 * Says of each key what still needs it, so that an operator knows when it can go.
 * @param keyIds the names of the configured keys, newest first
 */
export function printKeyUse(uses: readonly KeyUse[], keyIds: readonly string[]): string[] {
  const missing = [...new Set(uses.map(({ keyId }) => keyId))].filter(id => !keyIds.includes(id)).sort();
  return [
    ...keyIds.map(
      (id, place) => `key ${place + 1} of ENCRYPTION_KEYS (${id}) ${standing(under(uses, id), place === 0)}`,
    ),
    ...missing.map(id => `a key that is not in ENCRYPTION_KEYS (${id}) is needed to read ${list(under(uses, id))}`),
  ];
}

/** Whether something lasting lies under a key that nobody has any more. */
export function needsMissingKey(uses: readonly KeyUse[], keyIds: readonly string[]): boolean {
  return uses.some(({ keyId, within }) => within === null && !keyIds.includes(keyId));
}

function standing(uses: readonly KeyUse[], newest: boolean): string {
  if (newest) return uses.length > 0 ? `encrypts; it holds ${list(uses)}` : 'encrypts; it holds nothing yet';
  if (uses.length === 0) return 'holds nothing; it can be taken out';
  const passing = uses.find(({ within }) => within !== null)?.within;
  if (uses.some(({ within }) => within === null)) return `holds ${list(uses)}; leave it`;
  return `holds ${list(uses)}; leave it for another ${passing}`;
}

function under(uses: readonly KeyUse[], id: string): KeyUse[] {
  return uses.filter(({ keyId }) => keyId === id);
}

function list(uses: readonly KeyUse[]): string {
  return uses.map(({ texts, what }) => `${what} (${texts})`).join(', ');
}
