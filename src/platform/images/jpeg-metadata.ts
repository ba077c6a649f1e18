/** Second bytes of the markers of a JPEG. Source: ITU-T T.81, annex B. */
const MARKER = {
  start: 0xd8,
  end: 0xd9,
  scan: 0xda,
  app0: 0xe0,
  app2: 0xe2,
  app14: 0xee,
  app15: 0xef,
  comment: 0xfe,
  fill: 0xff,
};
/** Application segments that the picture is drawn by: density, colour profile and colour model. All others are dropped. */
const KEPT: readonly (readonly [marker: number, name: string])[] = [
  [MARKER.app0, 'JFIF\0'],
  [MARKER.app2, 'ICC_PROFILE\0'],
  [MARKER.app14, 'Adobe'],
];
/** A JFIF segment without the thumbnail that may follow. */
const JFIF_BYTES = 18;
const UPRIGHT = 1;

/**
 * Removes all metadata from a JPEG without decoding it, whatever its size: EXIF, XMP, IPTC, comments, thumbnails, and
 * what follows the picture, such as a second one or a video. The way up stays.
 * @param orientation as in EXIF, 1 to 8
 * @returns null for bytes that are no whole JPEG
 */
export function withoutMetadata(jpeg: Buffer, orientation: number): Buffer | null {
  if (jpeg.length < 4 || jpeg.readUInt16BE(0) !== (0xff00 | MARKER.start)) return null;
  const kept: Buffer[] = [];
  for (let at = 2; at < jpeg.length;) {
    const marker = markerAt(jpeg, at);
    if (marker === MARKER.end) return assemble(kept, orientation);
    if (marker === MARKER.fill) {
      at += 1;
      continue;
    }
    if (marker === null || at + 4 > jpeg.length) return null;
    const length = jpeg.readUInt16BE(at + 2);
    const end = marker === MARKER.scan ? endOfScan(jpeg, at + 2 + length) : at + 2 + length;
    if (length < 2 || end > jpeg.length) return null;
    const segment = jpeg.subarray(at, end);
    if (isKept(marker, segment)) kept.push(marker === MARKER.app0 ? withoutThumbnail(segment) : segment);
    at = end;
  }
  return null;
}

/** @returns null where there is none */
function markerAt(jpeg: Buffer, at: number): number | null {
  return jpeg[at] === 0xff ? (jpeg[at + 1] ?? null) : null;
}

function assemble(segments: readonly Buffer[], orientation: number): Buffer {
  const [start, end] = [Buffer.from([0xff, MARKER.start]), Buffer.from([0xff, MARKER.end])];
  // JFIF comes first where there is one, and EXIF follows it
  const first = segments[0]?.[1] === MARKER.app0 ? 1 : 0;
  const turned = orientation === UPRIGHT ? [] : [exifOf(orientation)];
  return Buffer.concat([start, ...segments.slice(0, first), ...turned, ...segments.slice(first), end]);
}

function isKept(marker: number, segment: Buffer): boolean {
  const isApplication = marker >= MARKER.app0 && marker <= MARKER.app15;
  if (!isApplication) return marker !== MARKER.comment;
  return KEPT.some(([kept, name]) => kept === marker && segment.toString('latin1', 4, 4 + name.length) === name);
}

function withoutThumbnail(segment: Buffer): Buffer {
  const jfif = Buffer.alloc(JFIF_BYTES);
  segment.copy(jfif, 0, 0, JFIF_BYTES - 2);
  jfif.writeUInt16BE(JFIF_BYTES - 2, 2);
  return jfif;
}

/** Compressed data ends at the next marker: in it, a byte 0xff is followed by 0 or by the number of a restart. */
function endOfScan(jpeg: Buffer, from: number): number {
  for (let at = jpeg.indexOf(0xff, from); at >= 0; at = jpeg.indexOf(0xff, at + 1)) {
    const next = jpeg[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return jpeg.length;
}

/** An EXIF segment with the way up alone. */
function exifOf(orientation: number): Buffer {
  const exif = Buffer.from(
    'ffe1' +
      '0022' +
      '457869660000' +
      '4d4d002a00000008' +
      '0001' +
      '0112' +
      '0003' +
      '00000001' +
      '00000000' +
      '00000000',
    'hex',
  );
  exif.writeUInt16BE(orientation, 28);
  return exif;
}
