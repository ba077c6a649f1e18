import { crc32, deflateRawSync } from 'node:zlib';

export type ZipEntry = [name: string, content: string];

/** A zip archive. @param streamed writes sizes behind the content, like programs that do not know them before */
export function zipOf(entries: ZipEntry[], { streamed = false } = {}): Buffer {
  const [parts, central]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, content] of entries) {
    const plain = Buffer.from(content);
    // the type of an OpenDocument must be readable without unpacking
    const stored = name === 'mimetype';
    const packed = stored ? plain : deflateRawSync(plain);
    const isLate = streamed && !stored;
    const sizes = Buffer.alloc(12);
    for (const [index, value] of [crc32(plain), packed.length, plain.length].entries())
      sizes.writeUInt32LE(value, 4 * index);
    const common = Buffer.alloc(10);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isLate ? 8 : 0, 2);
    common.writeUInt16LE(stored ? 0 : 8, 4);
    const names = Buffer.alloc(4);
    names.writeUInt16LE(Buffer.byteLength(name), 0);
    const local = [
      Buffer.from('PK\x03\x04'),
      common,
      isLate ? Buffer.alloc(12) : sizes,
      names,
      Buffer.from(name),
      packed,
    ];
    if (isLate) local.push(Buffer.from('PK\x07\x08'), sizes);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.from('PK\x01\x02\x14\0'), common, sizes, names, rest.subarray(0, 14), Buffer.from(name));
    parts.push(...local);
    offset += Buffer.concat(local).length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
}

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The parts of a minimal document of Office: `wordprocessingml.document` with `word/document.xml` as its main part. */
export function openXmlParts(kind: string, main: string, content: string): ZipEntry[] {
  const relations = 'http://schemas.openxmlformats.org';
  return [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${relations}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="${OPEN_XML}.${kind}.main+xml"/></Types>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${relations}/package/2006/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument/2006/relationships/officeDocument" Target="${main}"/></Relationships>`,
    ],
    [main, XML + content],
  ];
}

const SECTOR = 512;
const [FREE, END, FAT, DIFAT] = [0xffffffff, 0xfffffffe, 0xfffffffd, 0xfffffffc];
const IN_HEADER = 109;
type Entry = { name: string; type: 1 | 2 | 5; right?: number; child?: number; start?: number; size?: number };

/**
 * A compound file, as Office wrote them before 2007, with empty streams.
 * @param bytesBefore how much of another stream stands in front of the directory
 * @param nested streams of a storage, such as those of an embedded document
 */
export function compoundFile(
  streams: string[],
  { bytesBefore = 0, nested = [] as string[] }: { bytesBefore?: number; nested?: string[] } = {},
): Buffer {
  const filler = Math.ceil(bytesBefore / SECTOR);
  const entries = entriesOf(streams, nested);
  const directory = Math.ceil(entries.length / 4);
  let [fat, difat] = [1, 0];
  for (let grows = true; grows;) {
    const needed = Math.ceil((fat + difat + filler + directory) / 128);
    grows = needed > fat;
    fat = Math.max(fat, needed);
    difat = Math.max(0, Math.ceil((fat - IN_HEADER) / 127));
  }
  const firstFiller = fat + difat;
  const first = firstFiller + filler;
  const chains = new Uint32Array(fat * 128)
    .fill(FREE)
    .fill(FAT, 0, fat)
    .fill(DIFAT, fat, fat + difat);
  for (let sector = firstFiller; sector < first + directory; sector += 1) chains[sector] = sector + 1;
  if (filler > 0) chains[first - 1] = END;
  chains[first + directory - 1] = END;
  const more = new Uint32Array(difat * 128).fill(FREE);
  for (let index = IN_HEADER; index < fat; index += 1) {
    more[Math.floor((index - IN_HEADER) / 127) * 128 + ((index - IN_HEADER) % 127)] = index;
  }
  for (let index = 0; index < difat; index += 1) more[index * 128 + 127] = index + 1 < difat ? fat + index + 1 : END;
  const content = entries.map(entry =>
    entryOf(entry.name === 'Data' ? { ...entry, start: firstFiller, size: bytesBefore } : entry),
  );
  return Buffer.concat([
    headerOf({ fat, difat, first }),
    Buffer.from(chains.buffer),
    Buffer.from(more.buffer),
    Buffer.alloc(filler * SECTOR, 'x'),
    ...content,
    Buffer.alloc((directory * 4 - content.length) * 128),
  ]);
}

function entriesOf(streams: string[], nested: string[]): Entry[] {
  const names = ['Data', ...streams];
  const root: Entry = { name: 'Root Entry', type: 5, child: 1 };
  const own = names.map((name, index): Entry => ({ name, type: 2, right: index + 2 }));
  const storage: Entry = { name: 'MBD0001', type: 1, child: nested.length > 0 ? names.length + 2 : FREE };
  const inner = nested.map((name, index): Entry => ({
    name,
    type: 2,
    right: index + 1 < nested.length ? names.length + 3 + index : FREE,
  }));
  return [root, ...own, storage, ...inner];
}

function entryOf({ name, type, right = FREE, child = FREE, start = END, size = 0 }: Entry): Buffer {
  const entry = Buffer.alloc(128);
  entry.write(name, 0, 'utf16le');
  entry.writeUInt16LE((name.length + 1) * 2, 0x40);
  entry.writeUInt8(type, 0x42);
  entry.writeUInt8(1, 0x43);
  for (const [index, id] of [FREE, right, child].entries()) entry.writeUInt32LE(id, 0x44 + 4 * index);
  entry.writeUInt32LE(start, 0x74);
  entry.writeUInt32LE(size, 0x78);
  return entry;
}

function headerOf({ fat, difat, first }: { fat: number; difat: number; first: number }): Buffer {
  const header = Buffer.alloc(SECTOR);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  for (const [index, value] of [0x3e, 3, 0xfffe, 9, 6].entries()) header.writeUInt16LE(value, 0x18 + 2 * index);
  header.writeUInt32LE(fat, 0x2c);
  header.writeUInt32LE(first, 0x30);
  header.writeUInt32LE(4096, 0x38);
  header.writeUInt32LE(END, 0x3c);
  header.writeUInt32LE(difat > 0 ? fat : END, 0x44);
  header.writeUInt32LE(difat, 0x48);
  for (let index = 0; index < IN_HEADER; index += 1) header.writeUInt32LE(index < fat ? index : FREE, 0x4c + 4 * index);
  return header;
}
