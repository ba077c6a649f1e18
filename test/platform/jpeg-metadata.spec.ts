import { beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { withoutMetadata } from '../../src/platform/images/jpeg-metadata.js';

const SECRET = 'at home';
const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;

let plain: Buffer;
beforeAll(async () => {
  plain = await sharp({ create: { width: 96, height: 64, channels: 3, background: '#000', noise } })
    .png()
    .toBuffer();
});

const pixelsOf = (jpeg: Buffer) => sharp(jpeg).raw().toBuffer();

/** A segment of a JPEG. */
function segment(marker: number, content: string): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, Buffer.from(content, 'latin1')]);
}

/** The picture with further segments at its beginning. */
const withSegments = (jpeg: Buffer, ...segments: Buffer[]) =>
  Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);

describe('A JPEG without its metadata', () => {
  it.each(['baseline', 'progressive'])('A %s JPEG keeps every pixel, and loses its EXIF.', async kind => {
    const photo = await sharp(plain)
      .withExif({ IFD0: { Copyright: SECRET }, IFD3: { GPSMapDatum: SECRET } })
      .jpeg({ progressive: kind === 'progressive' })
      .toBuffer();
    expect(photo.includes(SECRET)).toBe(true);
    const cleaned = withoutMetadata(photo, 1) as Buffer;
    expect([cleaned.includes(SECRET), cleaned.includes('Exif')]).toEqual([false, false]);
    expect((await pixelsOf(cleaned)).equals(await pixelsOf(photo))).toBe(true);
  });

  it('Comments, XMP, IPTC, thumbnails and what follows the picture go.', async () => {
    const photo = await sharp(plain).jpeg().toBuffer();
    const thumbnail = `JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01${SECRET.slice(0, 3)}`;
    const rich = withSegments(
      photo,
      segment(0xe0, thumbnail),
      segment(0xe0, `JFXX\0${SECRET}`),
      segment(0xe1, `http://ns.adobe.com/xap/1.0/\0${SECRET}`),
      segment(0xe2, `MPF\0${SECRET}`),
      segment(0xed, `Photoshop 3.0\0${SECRET}`),
      segment(0xfe, SECRET),
      Buffer.from([0xff]),
    );
    const cleaned = withoutMetadata(Buffer.concat([rich, photo, Buffer.from(SECRET)]), 1) as Buffer;
    expect([cleaned.includes(SECRET), cleaned.includes(SECRET.slice(0, 3))]).toEqual([false, false]);
    expect((await pixelsOf(cleaned)).equals(await pixelsOf(photo))).toBe(true);
  });

  it('Its colour profile and its colour model stay.', async () => {
    const photo = await sharp(plain).withIccProfile('p3').toColourspace('cmyk').jpeg().toBuffer();
    const { icc, space } = await sharp(photo).metadata();
    const found = await sharp(withoutMetadata(photo, 1) as Buffer).metadata();
    expect([found.icc, found.space]).toEqual([icc, space]);
    expect(icc).toBeDefined();
  });

  it.each([1, 3, 6, 8])('Its way up stays (%i).', async orientation => {
    const photo = await sharp(plain).withMetadata({ orientation }).jpeg().toBuffer();
    const found = await sharp(withoutMetadata(photo, orientation) as Buffer).metadata();
    expect(found.orientation ?? 1).toBe(orientation);
  });

  it('A JPEG that was cut off anywhere is no JPEG, nor is anything else.', async () => {
    const photo = await sharp(plain)
      .withExif({ IFD0: { Copyright: SECRET } })
      .jpeg()
      .toBuffer();
    for (let end = 0; end < photo.length; end += 1) expect(withoutMetadata(photo.subarray(0, end), 1)).toBeNull();
    expect(withoutMetadata(plain, 1)).toBeNull();
    expect(withoutMetadata(Buffer.concat([photo.subarray(0, 2), Buffer.from([0xff, 0xe1, 0, 0])]), 1)).toBeNull();
  });
});
