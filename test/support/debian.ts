import { existsSync } from 'node:fs';

/**
 * Path of a program from a Debian package, which `npm ci` does not install. Null if it is missing: the tests that need
 * it are skipped with a message.
 */
export function debianProgram(name: string, debianPackage: string): string | null {
  const found = findProgram(name);
  if (!found) process.stderr.write(`skipped: ${name} is not installed (Debian package ${debianPackage})\n`);
  return found ?? null;
}

/** Path of an installed program. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(':').concat('/usr/sbin', '/usr/bin');
  return folders.map(folder => `${folder}/${name}`).find(path => existsSync(path));
}
