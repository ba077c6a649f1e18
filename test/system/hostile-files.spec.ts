import { readFileSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { desk, owner, world } from '../support/desk-for-each.js';
import { eventually } from '../support/eventually.js';
import { download, upload, uploadAsVisitor } from '../support/files.js';
import { childrenOf } from '../support/process-tree.js';
import { tiffLongs, tiffText, tiffWithExif } from '../support/tiff.js';

/** A zip archive with one compressed entry. */
function zip(name: string, content: Buffer, claimedSize = content.length): Buffer {
  const packed = deflateRawSync(content);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(8, 8);
  head.writeUInt32LE(packed.length, 18);
  head.writeUInt32LE(claimedSize, 22);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(name), packed]);
}

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#2563eb' }, limitInputPixels: false });
const isImageProcess = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('image-process');
const SCRIPT = '<script>alert(document.domain)</script>';

/** Outcomes of hostile files: their type and how they are served, or the refusal. */
const OUTCOMES: [what: string, name: string, bytes: () => Promise<Buffer> | Buffer, outcome: string][] = [
  ['HTML as a PNG', 'a.png', () => Buffer.from(`<!doctype html>${SCRIPT}`), 'text/plain attachment'],
  [
    'an SVG with a script',
    'a.svg',
    () => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`),
    'text/plain attachment',
  ],
  [
    'an SVG after an XML declaration',
    'a.svg',
    () => Buffer.from(`<?xml version="1.0"?><svg>${SCRIPT}</svg>`),
    'text/plain attachment',
  ],
  [
    'a GIF that is JavaScript too',
    'a.js',
    () => Buffer.from(`GIF89a/*${'\0'.repeat(20)}*/=1;alert(1)`),
    'image/gif inline',
  ],
  [
    'a PNG that ends in HTML',
    'a.html',
    async () => Buffer.concat([await picture(9, 9).png().toBuffer(), Buffer.from(SCRIPT)]),
    'image/png inline',
  ],
  ['a PDF with HTML', 'a.html', () => Buffer.from(`%PDF-1.7\n${SCRIPT}`), 'application/pdf attachment'],
  [
    'a Windows program as a picture',
    'a.jpg',
    () => Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]),
    'attachment_type_refused',
  ],
  [
    'a Linux program',
    'a',
    () => Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01'), Buffer.alloc(200)]),
    'attachment_type_refused',
  ],
  ['random bytes', 'a.docx', () => Buffer.from([0, 1, 2, 3, 0xff, 0xfe, 0]), 'attachment_type_refused'],
  ['text with a NUL', 'a.txt', () => Buffer.from('a\0b'), 'attachment_type_refused'],
  ['text that is no UTF-8', 'a.txt', () => Buffer.from('caf\xe9', 'latin1'), 'attachment_type_refused'],
  [
    'a document that unpacks to 64 MiB and says a gigabyte',
    'a.docx',
    () => zip('word/document.xml', Buffer.alloc(64 * 1024 * 1024), 1024 ** 3),
    'application/zip attachment',
  ],
  [
    'an archive that lies about its size',
    'a.xlsx',
    () => zip('[Content_Types].xml', Buffer.alloc(1024 * 1024), 0xffffffff),
    'application/zip attachment',
  ],
  ['a truncated archive', 'a.zip', () => zip('a', Buffer.from('abc')).subarray(0, 20), 'application/zip attachment'],
  ['an empty file', 'a.txt', () => Buffer.alloc(0), 'text/plain attachment'],
];

const NAMES: [given: string, kept: string][] = [
  ['../../etc/passwd', 'passwd'],
  ['..\\..\\boot.ini', 'boot.ini'],
  ['photo\u202Egnp.exe', 'photognp.exe'],
  ['a\u0000b.txt', 'ab.txt'],
  ['....', 'file'],
  ['.htaccess', 'htaccess'],
  ['Grüße 你好.txt', 'Grüße 你好.txt'],
  [`${'x'.repeat(300)}.txt`, `${'x'.repeat(196)}.txt`],
];

const HOME = 'Mill Lane 4';
const photoOf = (width: number, height: number) =>
  picture(width, height).withExif({ IFD0: { Copyright: HOME }, IFD3: { GPSLatitude: '52/1 30/1 0/1' } });
const IEND_BYTES = 12;

/** Pictures that tell of a place, where some readers of pictures do not look. */
const REVEALING: [what: string, bytes: () => Promise<Buffer>][] = [
  ['PNG', () => photoOf(90, 60).png().toBuffer()],
  ['WebP', () => photoOf(90, 60).webp().toBuffer()],
  ['AVIF', () => photoOf(90, 60).avif({ effort: 0 }).toBuffer()],
  [
    'PNG with EXIF behind the pixels',
    async () => {
      const png = await picture(90, 60).png().toBuffer();
      const exif = Buffer.from(`MM\0*\0\0\0\x08\0\x01\x82\x98\0\x02\0\0\0\x0c\0\0\0\x1a\0\0\0\0${HOME}\0`, 'latin1');
      return Buffer.concat([png.subarray(0, -IEND_BYTES), pngChunk('eXIf', exif), png.subarray(-IEND_BYTES)]);
    },
  ],
  [
    'PNG with a text behind the pixels',
    async () => {
      const png = await picture(90, 60).png().toBuffer();
      const text = pngChunk('tEXt', Buffer.from(`Location\0${HOME}`));
      return Buffer.concat([png.subarray(0, -IEND_BYTES), text, png.subarray(-IEND_BYTES)]);
    },
  ],
  [
    'JPEG with a second picture behind it',
    async () => Buffer.concat([await picture(90, 60).jpeg().toBuffer(), await photoOf(9, 6).jpeg().toBuffer()]),
  ],
  [
    'WebP that hides its EXIF',
    async () => {
      const webp = await photoOf(90, 60).webp().toBuffer();
      const flags = webp.indexOf('VP8X') + 8;
      webp[flags] = (webp[flags] ?? 0) & ~0x08;
      return webp;
    },
  ],
  ['TIFF', async () => tiffWithExif(90, 60, HOME)],
  [
    'TIFF with two pages',
    async () => {
      const pages = tiffWithExif(90, 60, HOME);
      // the second page is the first one again, from a directory of its own
      const [directory, fields] = [pages.readUInt32LE(4), pages.readUInt16LE(pages.readUInt32LE(4))];
      const last = directory + 2 + 12 * fields;
      const second = Buffer.from(pages.subarray(directory, last + 4));
      pages.writeUInt32LE(pages.length, last);
      return Buffer.concat([pages, second]);
    },
  ],
];

/** Raw photos, whose container is that of a TIFF. */
const RAW: [what: string, type: string, bytes: Buffer][] = [
  ['DNG', 'image/x-adobe-dng', tiffWithExif(90, 60, HOME, { fields: [[50_706, 1, Buffer.from([1, 4, 0, 0])]] })],
  ['ARW', 'image/x-sony-arw', tiffWithExif(90, 60, HOME, { fields: [tiffText(50_341, 'PrintIM')] })],
  ['CR2', 'image/x-canon-cr2', tiffWithExif(90, 60, HOME, { start: Buffer.from('CR\x02\0\0\0\0\0', 'latin1') })],
  [
    'NEF',
    'image/x-nikon-nef',
    tiffWithExif(90, 60, HOME, {
      fields: [tiffLongs(254, 0), ...Array.from({ length: 15 }, (_nothing, index) => tiffLongs(65_000 + index, 1))],
    }),
  ],
];

describe('Hostile files', () => {
  it.each(OUTCOMES)('The outcome of %s is fixed.', async (_what, name, bytes, outcome) => {
    const answer = await upload(owner, await bytes(), name);
    if (answer.status !== 201) return expect(answer.error.code).toBe(outcome);
    const { headers } = await download(world, answer.data.url as string);
    const [disposition] = String(headers['content-disposition']).split(';');
    expect(`${answer.data.content_type as string} ${disposition ?? ''}`).toBe(outcome);
    expect(headers['content-security-policy']).toBe("sandbox;default-src 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each(NAMES)('The name %j is kept as %j.', async (given, kept) => {
    const answer = await fetchUpload(given);
    expect(answer.data.name).toBe(kept);
    const { headers } = await download(world, answer.data.url);
    expect(headers['content-disposition']).toMatch(/^[\x20-\x7e]+$/);
  });

  it('A picture of 100 megapixels is stored with its size and without a thumbnail.', async () => {
    const bytes = await picture(10_000, 10_000).png({ compressionLevel: 9 }).toBuffer();
    const { data } = await upload(owner, bytes, 'huge.png');
    expect(data).toMatchObject({ width: 10_000, height: 10_000, content_type: 'image/png' });
    expect(data.thumbnail_url).toBeUndefined();
  });

  it('A picture whose process is ended by a signal to all processes of the service is 503, and can be sent again.', async () => {
    const bytes = await picture(6_000, 6_000).png({ compressionLevel: 9 }).toBuffer();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const uploading = upload(owner, bytes, 'large.png');
      const pid = await eventually(() => childrenOf(process.pid).find(isImageProcess));
      process.kill(pid, signal);
      const { status, error } = await uploading;
      expect([signal, status, error.code]).toEqual([signal, 503, 'unavailable']);
    }
    expect((await upload(owner, bytes, 'large.png')).status).toBe(201);
  });

  it('A broken picture is stored as it is, without a thumbnail.', async () => {
    const whole = await picture(500, 500).png().toBuffer();
    const broken = Buffer.concat([whole.subarray(0, 60), Buffer.alloc(100)]);
    const { status, data } = await upload(owner, broken, 'broken.png');
    expect([status, data.thumbnail_url]).toEqual([201, undefined]);
    expect((await download(world, data.url as string)).body).toEqual(broken);
  });

  it("A visitor's photo loses where it was taken and is turned upright; a member's is kept as it is.", async () => {
    const photo = await picture(600, 300)
      .withExif({ IFD0: { Copyright: 'Home' }, IFD3: { GPSLatitude: '52/1 30/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect((await sharp(photo).metadata()).exif).toBeDefined();
    const theirs = (await uploadAsVisitor(await world.visitor(desk), photo, 'photo.jpg')).data;
    expect(theirs).toMatchObject({ width: 300, height: 600, content_type: 'image/jpeg' });
    const stored = await sharp((await download(world, theirs.url as string)).body as Buffer).metadata();
    expect([stored.exif, stored.orientation, stored.width, stored.height]).toEqual([undefined, undefined, 300, 600]);
    const ours = (await upload(owner, photo, 'photo.jpg')).data;
    expect((await download(world, ours.url as string)).body).toEqual(photo);
    const thumbnail = await sharp((await download(world, ours.thumbnail_url as string)).body as Buffer).metadata();
    expect([thumbnail.format, thumbnail.height, thumbnail.exif]).toEqual(['webp', 480, undefined]);
  });

  it("A visitor's photo of 52 megapixels loses what tells of places, and stays upright.", async () => {
    const photo = await sharp({ create: { width: 8_000, height: 6_500, channels: 3, background: '#246' } })
      .withExif({ IFD0: { Copyright: HOME }, IFD3: { GPSMapDatum: HOME } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect(photo.includes(HOME)).toBe(true);
    const { status, data } = await uploadAsVisitor(await world.visitor(desk), photo, 'photo.jpg');
    expect([status, data.width, data.height, data.thumbnail_url]).toEqual([201, 6_500, 8_000, undefined]);
    const stored = (await download(world, data.url as string)).body as Buffer;
    expect([stored.includes(HOME), stored.length]).toEqual([false, data.size]);
    expect(await sharp(stored).metadata()).toMatchObject({ width: 8_000, height: 6_500, orientation: 6 });
    const png = await sharp(photo).keepExif().png().toBuffer();
    expect((await uploadAsVisitor(await world.visitor(desk), png, 'photo.png')).status).toBe(415);
  });

  it("A visitor's PNG loses its metadata, and none of its colours.", async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const colorful = sharp({ create: { width: 64, height: 64, channels: 3, background: '#000', noise } });
    const photo = await colorful
      .withExif({ IFD0: { Copyright: 'Home' } })
      .png()
      .toBuffer();
    const theirs = (await uploadAsVisitor(await world.visitor(desk), photo, 'photo.png')).data;
    const stored = (await download(world, theirs.url as string)).body as Buffer;
    expect((await sharp(stored).metadata()).exif).toBeUndefined();
    expect((await sharp(stored).raw().toBuffer()).equals(await sharp(photo).raw().toBuffer())).toBe(true);
  });

  it.each(REVEALING)('A visitor’s %s keeps nothing that tells of a place.', async (what, bytes) => {
    const photo = await bytes();
    expect(photo.includes(HOME)).toBe(true);
    const { status, data } = await uploadAsVisitor(await world.visitor(desk), photo, 'photo');
    expect([status, data.content_type]).toEqual([201, `image/${what.split(' ', 1)[0]?.toLowerCase() ?? ''}`]);
    const stored = (await download(world, data.url as string)).body as Buffer;
    expect(stored.includes(HOME)).toBe(false);
    expect(data.size).toBe(stored.length);
    expect((await sharp(stored).metadata()).pages ?? 1).toBe(what.endsWith('two pages') ? 2 : 1);
  });

  it('A visitor’s TIFF is stored without its EXIF and GPS directories, and with all of its colours.', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const pixels = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#000', noise } })
      .raw()
      .toBuffer();
    const photo = tiffWithExif(64, 48, HOME);
    pixels.copy(photo, photo.indexOf(Buffer.alloc(64 * 48 * 3, 0x80)));
    const { data } = await uploadAsVisitor(await world.visitor(desk), photo, 'scan.tif');
    expect(data).toMatchObject({ content_type: 'image/tiff', width: 64, height: 48 });
    const stored = (await download(world, data.url as string)).body as Buffer;
    for (const tag of [33_432, 34_665, 34_853, 700, 33_723, 34_377])
      expect([tag, tagsOf(stored).has(tag)]).toEqual([tag, false]);
    expect((await sharp(stored).raw().toBuffer()).equals(pixels)).toBe(true);
    const ours = (await upload(owner, photo, 'scan.tif')).data;
    expect((await download(world, ours.url as string)).body).toEqual(photo);
  });

  it.each(RAW)(
    'A visitor’s raw photo (%s) is refused (415); a member’s is kept as it is.',
    async (_what, type, photo) => {
      const { status, error } = await uploadAsVisitor(await world.visitor(desk), photo, 'photo.tif');
      expect([status, error.code]).toEqual([415, 'attachment_type_refused']);
      const ours = (await upload(owner, photo, 'photo.raw')).data;
      expect(ours.content_type).toBe(type);
      expect((await download(world, ours.url as string)).body).toEqual(photo);
    },
  );
});

/** The tags of all directories of a little-endian TIFF. */
function tagsOf(tiff: Buffer): Set<number> {
  const tags = new Set<number>();
  for (let at = tiff.readUInt32LE(4); at !== 0;) {
    const fields = tiff.readUInt16LE(at);
    for (let field = 0; field < fields; field += 1) tags.add(tiff.readUInt16LE(at + 2 + 12 * field));
    at = tiff.readUInt32LE(at + 2 + 12 * fields);
  }
  return tags;
}

/** A chunk of a PNG. */
function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** Sends the name as a browser would, without what clients clean themselves. */
async function fetchUpload(name: string): Promise<{ data: { name: string; url: string } }> {
  const head = `--x\r\nContent-Disposition: form-data; name="file"; filename="${name.replaceAll('\\', '\\\\')}"\r\n\r\n`;
  const answer = await fetch(`${world.app.url}/v1/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token ?? ''}`, 'content-type': 'multipart/form-data; boundary=x' },
    body: Buffer.from(`${head}x\r\n--x--\r\n`),
  });
  return (await answer.json()) as { data: { name: string; url: string } };
}
