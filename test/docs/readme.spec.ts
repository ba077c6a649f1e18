import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../../src/config/env.js';
import { startDemoWorkspace } from '../support/demo-workspace.js';
import { blocksIn, brokenLinks } from '../support/pages.js';
import { runShell } from '../support/shell.js';
import type { World } from '../support/world.js';

const readme = readFileSync('README.md', 'utf8');

/** Shell blocks of one section, in order. */
function blocksOf(title: string): string[] {
  const section = readme.split(/^## /m).find(text => text.startsWith(title)) ?? '';
  return blocksIn(section, 'sh');
}

describe('The README', () => {
  let world: World;
  beforeAll(async () => {
    world = await startDemoWorkspace();
  });
  afterAll(() => world.stop());

  it('The shell blocks of "Five minutes" in the README succeed in order.', async () => {
    const walk = blocksOf('Five minutes');
    expect(walk.length).toBeGreaterThan(4);
    const host = new URL(world.app.url).host;
    const listening = 'until grep -q connected "$heard"; do sleep 0.1; done';
    const script = walk
      .map(block => block.replaceAll('localhost:3000', host))
      .map(block =>
        block.includes('require("ws")') ? `${block.replace(/&\s*$/, '> "$heard" &')}\n${listening}` : block,
      )
      .join('\necho\n');
    const { code, out } = await runShell(
      `heard=$(mktemp)\ntrap 'kill $(jobs -p); cat "$heard"; rm "$heard"' EXIT\n${script}\nsleep 0.3`,
    );
    expect({ code, failures: out.match(/"ok":false[^\n]*/g) }).toEqual({ code: 0, failures: null });
    expect(out.match(/"ok":true/g)?.length).toBeGreaterThanOrEqual(7);
    for (const type of ['connected', 'conversation.created', 'message.created', 'conversation.updated']) {
      expect(out).toContain(`"type":"${type}"`);
    }
    expect(out).toContain('It arrives tomorrow.');
  });

  it('The README mentions only variables that the service reads and scripts that exist.', () => {
    const table = readme.slice(readme.indexOf('| Variable |'), readme.indexOf('All of them:'));
    const named = [...table.matchAll(/`([A-Z][A-Z_]+)`/g)].map(match => match[1] ?? '');
    const known = new Set([...Object.keys(VARIABLES), 'PORT']);
    expect(named.filter(name => !known.has(name))).toEqual([]);
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const called = [...readme.matchAll(/npm run ([a-z:]+)/g)].map(match => match[1] ?? '');
    expect(called.filter(name => !(name in scripts))).toEqual([]);
  });

  it('The README links to existing files only.', () => {
    expect(brokenLinks('README.md')).toEqual([]);
  });
});
