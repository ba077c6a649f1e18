import { existsSync } from 'node:fs';

/**
 * A program of one of Debian's packages, which `npm ci` does not install: null where it is missing, and then the tests
 * that need it are skipped and say so.
 */
export function debianProgram(name: string, debianPackage: string): string | null {
  const folders = (process.env.PATH ?? '').split(':').concat('/usr/sbin', '/usr/bin');
  const found = folders.map(folder => `${folder}/${name}`).find(path => existsSync(path));
  if (!found) process.stderr.write(`skipped: there is no ${name} here (Debian's package ${debianPackage})\n`);
  return found ?? null;
}
