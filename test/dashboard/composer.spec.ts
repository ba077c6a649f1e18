import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Drafts, type Draft } from '../../clients/dashboard/src/desk/drafts.js';
import { findEmoji } from '../../clients/dashboard/src/inbox/composer/emoji-codes.js';
import {
  findTrigger,
  findVariables,
  insertAt,
  mentionsIn,
} from '../../clients/dashboard/src/inbox/composer/trigger.js';

const KEY = 'support-chat:drafts:olivia';

class MemoryStorage {
  readonly items = new Map<string, string>();
  isFull = false;

  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    if (this.isFull) throw new Error('QuotaExceededError');
    this.items.set(key, value);
  }

  removeItem(key: string): void {
    this.items.delete(key);
  }
}

const draft = (text: string): Draft => ({ text, mentions: [] });

describe('Drafts', () => {
  let storage: MemoryStorage;
  let page: EventTarget;

  beforeEach(() => {
    jest.useFakeTimers();
    storage = new MemoryStorage();
    page = new EventTarget();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const open = () => {
    const drafts = new Drafts('olivia', storage);
    drafts.listen(page);
    return drafts;
  };

  it('A draft of a reply and one of a note in the same conversation are apart, and both survive a reload.', () => {
    const drafts = open();
    drafts.set('c1', 'reply', draft('to you'));
    drafts.set('c1', 'note', { text: 'Ask @Ben', mentions: ['ben'] });
    jest.runAllTimers();
    expect(open().of('c1', 'reply').text).toBe('to you');
    expect(open().of('c1', 'note')).toMatchObject({ text: 'Ask @Ben', mentions: ['ben'] });
  });

  it('A quote without a text is a draft, and survives a reload.', () => {
    const drafts = open();
    drafts.set('c1', 'reply', { text: '', mentions: [], replyToId: 'm1' });
    jest.runAllTimers();
    expect(open().of('c1', 'reply')).toMatchObject({ text: '', replyToId: 'm1' });
    drafts.set('c1', 'reply', { text: '', mentions: [], replyToId: undefined });
    jest.runAllTimers();
    expect(open().has('c1')).toBe(false);
  });

  it('Keys that are typed one after the other are written to storage once.', () => {
    const write = jest.spyOn(storage, 'setItem');
    const drafts = open();
    for (const text of ['h', 'he', 'hey']) drafts.set('c1', 'reply', draft(text));
    expect(write).not.toHaveBeenCalled();
    jest.runAllTimers();
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('A page that is left stores the draft at once.', () => {
    open().set('c1', 'reply', draft('unfinished'));
    page.dispatchEvent(new Event('pagehide'));
    expect(open().of('c1', 'reply').text).toBe('unfinished');
  });

  it('A draft that storage refuses stays for this page, and is stored with the next change.', () => {
    const drafts = open();
    storage.isFull = true;
    drafts.set('c1', 'reply', draft('one'));
    jest.runAllTimers();
    expect(drafts.of('c1', 'reply').text).toBe('one');
    storage.isFull = false;
    drafts.set('c2', 'reply', draft('two'));
    jest.runAllTimers();
    expect(open().of('c1', 'reply').text).toBe('one');
  });

  it('A draft of another tab is kept and shown, and does not replace one that is being written here.', () => {
    const [here, there] = [open(), new Drafts('olivia', storage)];
    there.listen(new EventTarget());
    here.set('c1', 'reply', draft('written here'));
    there.set('c1', 'reply', draft('written there'));
    there.set('c2', 'reply', draft('also there'));
    jest.runAllTimers();
    here.set('c1', 'reply', draft('written here again'));
    page.dispatchEvent(Object.assign(new Event('storage'), { key: KEY }));
    expect(here.of('c1', 'reply').text).toBe('written here again');
    expect(here.of('c2', 'reply').text).toBe('also there');
    jest.runAllTimers();
    expect(open().of('c2', 'reply').text).toBe('also there');
  });

  it('Storage keeps the latest 200 drafts.', () => {
    const drafts = open();
    for (let index = 0; index <= 200; index += 1) {
      jest.advanceTimersByTime(1);
      drafts.set(`c${index}`, 'reply', draft('text'));
    }
    jest.runAllTimers();
    const later = open();
    expect([later.has('c0'), later.has('c1'), later.has('c200')]).toEqual([false, true, true]);
  });

  it('A sent draft is gone, and a sign-out forgets all.', () => {
    const drafts = open();
    drafts.set('c1', 'reply', draft('sent'));
    drafts.set('c2', 'reply', draft('kept'));
    drafts.set('c1', 'reply', draft(''));
    jest.runAllTimers();
    expect([open().has('c1'), open().has('c2')]).toEqual([false, true]);
    drafts.set('c3', 'reply', draft('last'));
    drafts.forget();
    jest.runAllTimers();
    expect(drafts.has('c3')).toBe(false);
    expect(storage.items.size).toBe(0);
  });

  it('Broken storage is read as empty.', () => {
    storage.items.set(KEY, '{"c1');
    expect(open().has('c1')).toBe(false);
  });
});

describe('Words that open a list', () => {
  const find = (text: string, signs = '/@:') => findTrigger(text, text.length, signs);

  it('A sign at the beginning of a word opens the list, and one within a word or an address does not.', () => {
    expect(find('/tha')).toEqual({ sign: '/', query: 'tha', start: 0 });
    expect(find('Hello (@be')).toEqual({ sign: '@', query: 'be', start: 7 });
    expect(find('a@be')).toBeUndefined();
    expect(find('https://example.com')).toBeUndefined();
    expect(find('/thanks ')).toBeUndefined();
    expect(find('@ben', '/:')).toBeUndefined();
  });

  it('Emoji are offered after two letters of a code, and not for a time or a smiley.', () => {
    expect(find(':ta')).toMatchObject({ sign: ':', query: 'ta' });
    for (const text of [':', ':t', 'at 10:30', ':30', ':)', ':-D']) expect(find(text)).toBeUndefined();
    expect(findEmoji('ta').map(({ code }) => code)[0]).toBe('tada');
    expect(findEmoji('nothing_such')).toEqual([]);
  });

  it('An insertion replaces the word, and the text around it stays.', () => {
    const trigger = findTrigger('Hi /th, bye', 6, '/');
    expect(trigger && insertAt('Hi /th, bye', trigger, 'Thank you')).toEqual({
      text: 'Hi Thank you, bye',
      caret: 12,
    });
  });

  it('Variables without a value are found where they stand.', () => {
    expect(findVariables('Hi {{contact.name}}, {{ agent.name }}')).toEqual([
      { name: 'contact.name', start: 3, end: 19 },
      { name: 'agent.name', start: 21, end: 37 },
    ]);
    expect(findVariables('Hi {contact.name} {{}}')).toEqual([]);
  });

  it('A note mentions those whose name is still in its text.', () => {
    const names: Record<string, string> = { ben: 'Ben Backup', cleo: 'Cleo' };
    const nameOf = (id: string) => names[id];
    expect(mentionsIn('Ask @Ben Backup', ['ben', 'cleo', 'gone'], nameOf)).toEqual(['ben']);
  });
});
