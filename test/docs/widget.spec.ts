import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../support/service-process.js';

const PICTURES = join(checkout, 'docs/images');
const MAX_BYTES = 1_500_000;

const read = (path: string): string => readFileSync(join(checkout, path), 'utf8');

/** Names of the members of an interface in the widget's API. */
function membersOf(name: string): string[] {
  const source = read('clients/widget/src/api.ts');
  const [, body = ''] = new RegExp(`interface ${name} [^{]*{(.*?)^}`, 'ms').exec(source) ?? [];
  return [...body.matchAll(/^ {2}(\w+)[?(:<]/gm)].map(([, member = '']) => member);
}

describe('The guide of the widget', () => {
  const guide = read('docs/WIDGET.md');

  it.each(['Methods', 'BootOptions', 'Identity', 'WidgetEvents', 'WidgetState'])(
    'The guide of the widget names each member of `%s`.',
    name => {
      const members = membersOf(name);
      expect(members.length).toBeGreaterThan(1);
      expect(members.filter(member => !new RegExp(`\`[^\`\n]*\\b${member}\\b[^\`\n]*\``).test(guide))).toEqual([]);
    },
  );

  it('The sizes that the guide of the widget promises are those of the gate.', () => {
    const [loader, total] = ['loader', 'total'].map(
      part => new RegExp(`part: '${part}', .*limit: ([\\d.]+), target: `).exec(read('bin/sizes.js'))?.[1],
    );
    const [, promised] = /All scripts together are at most (\d+) KB/.exec(guide) ?? [];
    expect(Math.ceil(Number(total))).toBe(Number(promised));
    expect(Number(loader)).toBeLessThan(5);
    expect(guide).toMatch(/the one that every\s+page loads\s+has less than 5\./);
  });

  it('The pictures of the documents exist, all of them are used, and they are small.', () => {
    const texts = ['README.md', 'docs/WIDGET.md', 'docs/DASHBOARD.md', 'docs/SETTINGS.md'].map(read).join('\n');
    const used = [...texts.matchAll(/images\/([\w-]+\.webp)/g)].map(([, name = '']) => name);
    const stored = readdirSync(PICTURES);
    expect([...new Set(used)].sort()).toEqual(stored.sort());
    const bytes = stored.map(name => statSync(join(PICTURES, name)).size);
    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(MAX_BYTES);
  });
});
