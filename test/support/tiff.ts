/** One field of a TIFF directory: its tag, type (1 byte, 2 text, 3 short, 4 long, 5 ratio, 7 any) and value. */
export type TiffField = [tag: number, type: number, value: Buffer];

export const tiffText = (tag: number, text: string): TiffField => [tag, 2, Buffer.from(`${text}\0`)];
export const tiffShorts = (tag: number, ...values: number[]): TiffField => [
  tag,
  3,
  Buffer.from(Uint16Array.from(values).buffer),
];
export const tiffLongs = (tag: number, ...values: number[]): TiffField => [
  tag,
  4,
  Buffer.from(Uint32Array.from(values).buffer),
];
const SIZES: Record<number, number> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1 };

/** A little-endian TIFF of one colour with EXIF and GPS directories that contain `text`. */
export function tiffWithExif(
  width: number,
  height: number,
  text: string,
  { fields = [], start = Buffer.alloc(0) }: { fields?: TiffField[]; start?: Buffer } = {},
): Buffer {
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  const parts = [header, start];
  const end = () => parts.reduce((sum, { length }) => sum + length, 0);
  const append = (bytes: Buffer): number => {
    const offset = end();
    parts.push(bytes, Buffer.alloc(bytes.length % 2));
    return offset;
  };
  const directory = 8 + start.length;
  const own: TiffField[] = [
    tiffLongs(256, width),
    tiffLongs(257, height),
    tiffShorts(258, 8, 8, 8),
    tiffShorts(259, 1),
    tiffShorts(262, 2),
    tiffLongs(273, 0),
    tiffShorts(277, 3),
    tiffLongs(278, height),
    tiffLongs(279, width * height * 3),
    tiffText(33432, text),
    tiffLongs(34665, 0),
    tiffLongs(34853, 0),
    ...fields,
  ];
  header.writeUInt32LE(directory, 4);
  // the directory comes first, as cameras write it, and is filled when all offsets are known
  const first = Buffer.alloc(6 + 12 * own.length);
  parts.push(first);
  const pointers: Record<number, number> = {
    273: append(Buffer.alloc(width * height * 3, 0x80)),
    34665: append(directoryOf([tiffText(0xa430, text)], end())),
    34853: append(
      directoryOf([tiffText(1, 'N'), [2, 5, Buffer.from(Uint32Array.of(52, 1, 30, 1, 0, 1).buffer)]], end()),
    ),
  };
  const all = own.map(([tag, type, value]): TiffField => {
    const pointer = pointers[tag];
    return pointer === undefined ? [tag, type, value] : tiffLongs(tag, pointer);
  });
  const written = directoryOf(all, directory, append);
  written.copy(first);
  return Buffer.concat(parts);
}

/** Writes a directory that is going to stand at `offset`. Long values follow it, or go where `append` puts them. */
function directoryOf(fields: TiffField[], offset: number, append?: (bytes: Buffer) => number): Buffer {
  const sorted = fields.toSorted(([a], [b]) => a - b);
  const entries = Buffer.alloc(6 + 12 * sorted.length);
  const behind: Buffer[] = [];
  let next = offset + entries.length;
  entries.writeUInt16LE(sorted.length, 0);
  for (const [index, [tag, type, value]] of sorted.entries()) {
    const at = 2 + 12 * index;
    entries.writeUInt16LE(tag, at);
    entries.writeUInt16LE(type, at + 2);
    entries.writeUInt32LE(value.length / (SIZES[type] ?? 1), at + 4);
    if (value.length <= 4) value.copy(entries, at + 8);
    else if (append) entries.writeUInt32LE(append(value), at + 8);
    else {
      entries.writeUInt32LE(next, at + 8);
      behind.push(value);
      next += value.length;
    }
  }
  return Buffer.concat([entries, ...behind]);
}
