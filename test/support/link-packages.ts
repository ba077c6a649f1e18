import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const PACKAGES = resolve(import.meta.dirname, '../../node_modules');

/** Stands in for `npm ci` in a copy of this checkout: links its packages, and the copy's own SDK. */
export function linkPackages(copy: string): void {
  mkdirSync(join(copy, 'node_modules/@support-chat'), { recursive: true });
  symlinkSync('../../clients/sdk', join(copy, 'node_modules/@support-chat/sdk'));
  for (const name of readdirSync(PACKAGES).filter(name => name !== '@support-chat')) {
    symlinkSync(join(PACKAGES, name), join(copy, 'node_modules', name));
  }
}
