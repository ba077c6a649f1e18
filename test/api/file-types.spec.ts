import { describe, expect, it } from '@jest/globals';
import { desk, owner, world } from '../support/desk-for-each.js';
import { download, upload, uploadAsVisitor } from '../support/files.js';
import { compoundFile, openXmlParts, zipOf } from '../support/office.js';

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

const MIB = 1024 * 1024;
const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const docx = openXmlParts(
  'wordprocessingml.document',
  'word/document.xml',
  '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body/></w:document>',
);
const xlsx = openXmlParts(
  'spreadsheetml.sheet',
  'xl/workbook.xml',
  '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets/></workbook>',
);
const pptx = openXmlParts(
  'presentationml.presentation',
  'ppt/presentation.xml',
  '<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"/>',
);
const openDocument = (kind: string) =>
  zipOf([
    ['mimetype', `application/vnd.oasis.opendocument.${kind}`],
    ['content.xml', '<?xml version="1.0"?><office:document-content/>'],
    ['META-INF/manifest.xml', '<?xml version="1.0"?><manifest:manifest/>'],
  ]);
const word = ['1Table', '\x05SummaryInformation', '\x05DocumentSummaryInformation', '\x01CompObj', 'WordDocument'];

const OFFICE_FILES: [what: string, type: string, bytes: Buffer][] = [
  ['a docx', `${OPEN_XML}.wordprocessingml.document`, zipOf(docx)],
  ['a docx whose types come last', `${OPEN_XML}.wordprocessingml.document`, zipOf(docx.toReversed())],
  ['a docx that was streamed', `${OPEN_XML}.wordprocessingml.document`, zipOf(docx, { streamed: true })],
  ['an xlsx', `${OPEN_XML}.spreadsheetml.sheet`, zipOf(xlsx)],
  ['a pptx', `${OPEN_XML}.presentationml.presentation`, zipOf(pptx)],
  ['an odt', 'application/vnd.oasis.opendocument.text', openDocument('text')],
  ['an ods', 'application/vnd.oasis.opendocument.spreadsheet', openDocument('spreadsheet')],
  ['an odp', 'application/vnd.oasis.opendocument.presentation', openDocument('presentation')],
  ['a doc', 'application/msword', compoundFile(word)],
  ['a doc whose directory comes late', 'application/msword', compoundFile(word, { bytesBefore: MIB })],
  ['a doc of 9 MiB', 'application/msword', compoundFile(word, { bytesBefore: 9 * MIB })],
  ['an xls', 'application/vnd.ms-excel', compoundFile(['Workbook'])],
  ['an xls of Excel 95', 'application/vnd.ms-excel', compoundFile(['Book'])],
  ['an xls that embeds a doc', 'application/vnd.ms-excel', compoundFile(['Workbook'], { nested: ['WordDocument'] })],
  ['a ppt', 'application/vnd.ms-powerpoint', compoundFile(['Current User', 'PowerPoint Document'])],
];

describe('The type of an office file', () => {
  it.each(OFFICE_FILES)(
    'A visitor sends %s, whatever its name, and others download it.',
    async (_what, type, bytes) => {
      const { status, data } = await uploadAsVisitor(await world.visitor(desk), bytes, 'file');
      expect([status, data.content_type]).toEqual([201, type]);
      const { headers, body } = await download(world, data.url as string);
      expect(headers['content-disposition']).toMatch(/^attachment;/);
      expect((body as Buffer).equals(bytes)).toBe(true);
    },
  );

  it.each([
    ['without a known stream', compoundFile(['Setup'])],
    ['that only contains the word', compoundFile(['Setup'], { nested: ['WordDocument'] })],
    ['whose directory is behind its end', compoundFile(word).subarray(0, 1024)],
    ['that is a header alone', compoundFile(word).subarray(0, 512)],
    ['with sectors of two gigabytes', changed(compoundFile(word), 0x1e, 31)],
    ['whose directory repeats itself', changed(compoundFile(['Setup']), 512 + 4, 1)],
  ])('A compound file %s is refused (415).', async (_what, bytes) => {
    const { status, error } = await upload(owner, bytes, 'a.doc');
    expect([status, error.code]).toEqual([415, 'attachment_type_refused']);
  });
});

/** A copy with another number of 32 bits. */
function changed(bytes: Buffer, offset: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(value, offset);
  return copy;
}
