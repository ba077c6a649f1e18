import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { adviceOn } from '../../clients/dashboard/src/settings/channels/appearance/color-advice.js';
import { WIDGET_LOCALES } from '../../clients/dashboard/src/settings/channels/appearance/widget-locales.js';
import {
  cleanQuestion,
  faultsOf,
  newQuestion,
} from '../../clients/dashboard/src/settings/channels/conversations/questions.js';
import { isOrigin, isWhole, linesOf } from '../../clients/dashboard/src/settings/channels/lines.js';
import { policyFor } from '../../clients/dashboard/src/settings/channels/snippets.js';

describe('The settings of a channel', () => {
  it('The languages to choose from are those that the widget has.', () => {
    const files = readdirSync('clients/widget/locales').map(name => name.replace('.json', ''));
    expect([...WIDGET_LOCALES].sort()).toEqual([...files, 'en'].sort());
  });

  it('A colour brings a warning with its contrast where its launcher would be hard to see.', () => {
    expect(adviceOn('#ffee99')).toEqual([{ key: 'colorPale', ratio: 1.1 }, { key: 'colorAdapted' }]);
    expect(adviceOn('#101010')[0]).toEqual({ key: 'colorDim', ratio: 1.1 });
    expect(adviceOn('#12')).toEqual([]);
  });

  it('The sources for a policy have the scheme of the service, and each origin of a picture once.', () => {
    const pictures = ['https://cdn.example/a.png', 'https://cdn.example/b.png', null, 'no address'];
    expect(policyFor('http://127.0.0.1:3000/chat', pictures)).toBe(
      'script-src http://127.0.0.1:3000; connect-src http://127.0.0.1:3000 ws://127.0.0.1:3000; img-src http://127.0.0.1:3000 https://cdn.example',
    );
  });

  it('Questions get keys that differ, and an incomplete one names what is missing.', () => {
    const first = newQuestion([]);
    const second = newQuestion([first]);
    const third = newQuestion([first, second]);
    expect([first, second, third].map(({ key }) => key)).toEqual(['name', 'email', 'question_1']);
    const list = { ...third, key: 'name', type: 'select' as const, options: [' '] };
    expect(faultsOf(list, [first, list])).toEqual({
      label: 'questionLabelFault',
      key: 'questionKeyFault',
      options: 'questionOptionsFault',
    });
    expect(cleanQuestion({ ...third, label: ' Order ', options: ['left over'] })).toEqual({
      key: 'question_1',
      label: 'Order',
      type: 'text',
      required: false,
    });
  });

  it('Lines, origins and whole numbers are read as the service reads them.', () => {
    expect(linesOf(' a \n\n b')).toEqual(['a', 'b']);
    const origins = ['https://shop.example', 'https://Shop.example:8443', 'shop.example', 'https://shop.example/'];
    expect(origins.map(isOrigin)).toEqual([true, true, false, false]);
    expect([isWhole('', 1, 9, true), isWhole('', 1, 9), isWhole('1.5', 1, 9), isWhole('9', 1, 9)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });
});
