import type { KeyUse } from './key-rotation.service.js';

/**
 * Returns one line per key about the texts that still need it, so that an operator knows which keys can be removed.
 * @param keyIds ids of the configured keys, newest first
 */
export function printKeyUse(uses: readonly KeyUse[], keyIds: readonly string[]): string[] {
  const missing = [...new Set(uses.map(({ keyId }) => keyId))].filter(id => !keyIds.includes(id)).sort();
  return [
    ...keyIds.map(
      (id, index) => `key ${index + 1} of ENCRYPTION_KEYS (${id}) ${describeUse(usesOf(uses, id), index === 0)}`,
    ),
    ...missing.map(id => `a key that is not in ENCRYPTION_KEYS (${id}) is needed to read ${list(usesOf(uses, id))}`),
  ];
}

/** Returns true when texts that do not expire are encrypted under a key that is not configured. */
export function needsMissingKey(uses: readonly KeyUse[], keyIds: readonly string[]): boolean {
  return uses.some(({ keyId, expiresAfter }) => expiresAfter === null && !keyIds.includes(keyId));
}

function describeUse(uses: readonly KeyUse[], newest: boolean): string {
  if (newest) return uses.length > 0 ? `encrypts; it holds ${list(uses)}` : 'encrypts; it holds nothing yet';
  if (uses.length === 0) return 'holds nothing; it can be taken out';
  const expiring = uses.find(({ expiresAfter }) => expiresAfter !== null)?.expiresAfter;
  if (uses.some(({ expiresAfter }) => expiresAfter === null)) return `holds ${list(uses)}; leave it`;
  return `holds ${list(uses)}; leave it for another ${expiring}`;
}

function usesOf(uses: readonly KeyUse[], id: string): KeyUse[] {
  return uses.filter(({ keyId }) => keyId === id);
}

function list(uses: readonly KeyUse[]): string {
  return uses.map(({ texts, column }) => `${column} (${texts})`).join(', ');
}
