import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Desk } from '../../clients/dashboard/src/desk/desk.js';
import { keyLabel } from '../../clients/dashboard/src/inbox/commands.js';
import { InboxCommands } from '../../clients/dashboard/src/inbox/inbox-commands.js';
import { Selection } from '../../clients/dashboard/src/inbox/selection.js';
import { en } from '../../clients/dashboard/src/inbox/texts/en.js';
import { SCREENS } from '../../clients/dashboard/src/settings/screens.js';
import { en as settings } from '../../clients/dashboard/src/settings/texts/en.js';
import type { Entry } from '../../clients/ui/src/translator.js';

const GUIDE = readFileSync('docs/DASHBOARD.md', 'utf8');

/** Cells of the table below a heading. */
function tableOf(heading: string): string[][] {
  const section = GUIDE.split(/^## /m).find(each => each.startsWith(`${heading}\n`)) ?? '';
  const rows = section.split('\n').filter(line => line.startsWith('|'));
  return rows.slice(2).map(row =>
    row
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  );
}

describe('The guide of the dashboard', () => {
  it('The guide lists each key of the inbox with its action.', () => {
    const unused = () => {
      throw new Error('no command runs');
    };
    const { all } = new InboxCommands({} as Desk, new Selection(), unused);
    const expected = all
      .filter(({ keys }) => keys.length > 0)
      .map(({ keys: [keys = ''], name, group }) => [
        `\`${keyLabel(keys, false)}\``,
        group === 'groupGo' ? `Go to: ${en[name]}` : en[name],
      ]);
    expect(tableOf('Keys')).toEqual(expected);
  });

  it('The guide lists each screen of the settings, and explains each in a section.', () => {
    const names = SCREENS.map(({ name }) => (settings as Record<string, Entry>)[name]);
    const sections = readFileSync('docs/SETTINGS.md', 'utf8').match(/(?<=^## ).*$/gm);
    expect([tableOf('Settings').map(([name]) => name), sections]).toEqual([names, names]);
  });
});
