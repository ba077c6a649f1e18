import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program is: in one of these folders, in PATH, or where Debian has its servers; undefined where it is not. */
export function findProgram(name, folders = []) {
  const all = [...folders, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return all.map(folder => join(folder, name)).find(existsSync);
}

/** @returns why it is not there, or null */
export function programAbsent(name) {
  return findProgram(name) ? null : `${name} is not installed`;
}
