import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseDockerfile } from '../support/dockerfile.js';
import { checkout } from '../support/service-process.js';

const { satisfies } = createRequire(import.meta.url)('semver') as {
  satisfies(version: string, range: string): boolean;
};

interface Locked {
  version?: string;
  engines?: { node?: string };
  /** Operating systems; all if it is missing. */
  os?: string[];
  dev?: boolean;
}

const lock = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};
const image = /^node:(\d+\.\d+\.\d+)/.exec(
  parseDockerfile(readFileSync(join(checkout, 'Dockerfile'), 'utf8'))[0]?.from ?? '',
)?.[1];

/** Packages whose `engines` exclude a version of Node; `npm ci` warns of each (EBADENGINE). */
function excluding(node: string, packages: Record<string, Locked> = lock.packages): string[] {
  return Object.entries(packages)
    .filter(([, { os }]) => os === undefined || os.includes(process.platform))
    .filter(([, { engines }]) => engines?.node !== undefined && !satisfies(node, engines.node))
    .map(([path, { version, engines }]) => `${path} ${version} requires ${engines?.node}`);
}

describe('Node versions that the packages declare', () => {
  it('No package in the lockfile excludes Node 20.19.0, the oldest that the service supports.', () => {
    expect(excluding('20.19.0')).toEqual([]);
  });

  it('No package in the lockfile excludes the Node of the image or of this run.', () => {
    expect(image).toMatch(/^24\./);
    expect(excluding(image ?? '')).toEqual([]);
    expect(excluding(process.versions.node)).toEqual([]);
  });

  it('A package that requires a newer Node is detected.', () => {
    const packages = { 'node_modules/new': { version: '1.0.0', engines: { node: '>=22' } } };
    expect(excluding('20.19.0', packages)).toEqual(['node_modules/new 1.0.0 requires >=22']);
    expect(excluding('24.21.0', packages)).toEqual([]);
  });
});
