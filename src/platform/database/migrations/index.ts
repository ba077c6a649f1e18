import { readdirSync } from 'node:fs';
import type { MigrationInterface } from 'typeorm';

type Migration = new () => MigrationInterface;

const FILE = /^\d{13}-.*\.[jt]s$/;
const files = readdirSync(import.meta.dirname).filter(name => FILE.test(name));
const imported = files.sort().map(name => import(`./${name}`) as Promise<Record<string, Migration>>);

/** The migrations of this folder, in order of the time in their names. A migration that has landed is never edited. */
export const MIGRATIONS = (await Promise.all(imported)).flatMap(Object.values<Migration>);
