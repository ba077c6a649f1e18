import { randomBytes } from 'node:crypto';

export const PASSWORD = 'correct horse battery';

let counter = 0;

/** Returns a text that no other test uses. */
export function unique(prefix = 'x'): string {
  counter += 1;
  return `${prefix}-${counter}-${randomBytes(4).toString('hex')}`;
}
