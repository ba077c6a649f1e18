import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Finds a program in these folders, in PATH, or in Debian's /usr/sbin. @returns its path or undefined */
export function findProgram(name, folders = []) {
  const all = [...folders, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return all.map(folder => join(folder, name)).find(existsSync);
}

/** @returns why the program is not available, or null */
export function programAbsent(name) {
  return findProgram(name) ? null : `${name} is not installed`;
}
