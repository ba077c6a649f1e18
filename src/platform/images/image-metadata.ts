import { readFile } from 'node:fs/promises';

/** Marks of EXIF, XMP, IPTC and texts in JPEG, PNG, WebP, AVIF and GIF. */
const MARKS = [
  'Exif\0',
  'eXIf',
  'EXIF',
  'http://ns.adobe.com/xap',
  'x:xmpmeta',
  'Photoshop 3.0',
  'tEXt',
  'iTXt',
  'zTXt',
];

/**
 * Tells if a file may have metadata anywhere, such as behind its pixels or in a second picture. A decoder finds them only
 * where they usually are. Compressed pixels contain a mark by chance in a few of a thousand files.
 */
export async function mayHaveMetadata(path: string): Promise<boolean> {
  const bytes = await readFile(path);
  return MARKS.some(mark => bytes.includes(mark, 0, 'latin1'));
}
