import { describe, expect, it } from '@jest/globals';
import { desk, owner, world } from '../support/desk-for-each.js';
import { download, upload, uploadAsVisitor } from '../support/files.js';

const LONG = 'All of it is text. '.repeat(400);

/** Texts that begin, or go on, like a file of another type. */
const TEXTS: [like: string, text: string][] = [
  ['a bitmap', 'BMW 320d, first registered in 2019'],
  ['a sound of Apple', 'FORM 12 B: application for a parking permit'],
  ['a GIF', 'GIF or JPEG? <script>alert(1)</script>'],
  ['a Windows program', 'MZ-80K: the manual'],
  ['PostScript', '%!TEX root = thesis.tex'],
  ['a sound with tags', 'ID3 tags are missing on all tracks'],
  ['a Flash film', 'FWSt. 3, 1010 Wien'],
  ['a QuickTime film', 'Buy free samples'],
  ['a solid body', 'solid advice is what I need'],
  ['a stream of films', `Good morning!${' '.repeat(175)}Good night!`],
  ['an archive for tapes', `${'x'.repeat(257)}ustar `],
  ['a message of PGP', '-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n'],
  ['a bitmap behind a byte order mark', '\uFEFFBMW 320d'],
];

describe('The type of a text', () => {
  it.each(TEXTS)('A visitor’s text that begins like %s is text and downloaded, short or long.', async (_like, text) => {
    const visitor = await world.visitor(desk);
    for (const content of [text, text + LONG]) {
      const { status, data } = await uploadAsVisitor(visitor, content, 'note.txt');
      expect([status, data.content_type]).toEqual([201, 'text/plain']);
      const { headers, body } = await download(world, data.url as string);
      expect(headers['content-disposition']).toMatch(/^attachment;/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect((body as Buffer).toString()).toBe(content);
    }
  });

  it.each([
    ['PDF', 'application/pdf', '%PDF-1.4\n1 0 obj\n<< >>\nendobj\n'],
    ['RTF', 'application/rtf', '{\\rtf1\\ansi Hello}'],
    ['vCard', 'text/vcard', 'BEGIN:VCARD\nVERSION:4.0\nFN:Ada\nEND:VCARD\n'],
    ['calendar', 'text/calendar', 'BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR\n'],
    ['WebVTT', 'text/vtt', 'WEBVTT\n\n00:01.000 --> 00:04.000\nHello\n'],
    ['XML', 'text/plain', '<?xml version="1.0"?><a/>'],
  ])('A %s of plain text keeps its type, short or long.', async (_what, type, text) => {
    for (const content of [text, text + LONG]) {
      const { data } = await upload(owner, content, 'a.txt');
      expect(data.content_type).toBe(type);
    }
  });

  it('A text with a control character, also of the second set (U+0080 to U+009F), is refused (415).', async () => {
    const controls = [0, 8, 0x0b, 0x0c, 0x0e, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x90, 0x9b, 0x9f];
    for (const control of controls) {
      const { status } = await upload(owner, `a${String.fromCharCode(control)}31m`, 'note.txt');
      expect([control, status]).toEqual([control, 415]);
    }
    for (const good of ['\t\r\n', '\u00A0', 'é', '\u{10FFFF}'])
      expect((await upload(owner, `a${good}`)).status).toBe(201);
  });

  it.each([
    ['a Windows program', `MZ${LONG}`],
    ['a Windows registry file', 'REGEDIT4\r\n\r\n[HKEY_CURRENT_USER\\Software]\r\n'],
  ])('A file that begins with text and is %s is refused (415).', async (_what, text) => {
    const bytes = text.startsWith('MZ') ? Buffer.concat([Buffer.from(text), Buffer.alloc(9)]) : Buffer.from(text);
    const { status, error } = await upload(owner, bytes, 'note.txt');
    expect([status, error.code]).toEqual([415, 'attachment_type_refused']);
  });
});
