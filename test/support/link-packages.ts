import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const PACKAGES = resolve(import.meta.dirname, '../../node_modules');

/** Packages of this repository, which import each other by name. */
const CLIENTS = ['sdk', 'ui', 'widget'];

/** Stands in for `npm ci` in a copy of this checkout: links its packages, and the copy's own clients. */
export function linkPackages(copy: string): void {
  mkdirSync(join(copy, 'node_modules/@support-chat'), { recursive: true });
  for (const name of CLIENTS) {
    symlinkSync(`../../clients/${name}`, join(copy, 'node_modules/@support-chat', name));
  }
  for (const name of readdirSync(PACKAGES).filter(name => name !== '@support-chat')) {
    symlinkSync(join(PACKAGES, name), join(copy, 'node_modules', name));
  }
}
