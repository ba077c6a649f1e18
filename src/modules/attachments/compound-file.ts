import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';

/** Layout of a header, and of a directory entry. */
const HEADER = { bytes: 512, sectorShift: 0x1e, directory: 0x30, moreFat: 0x44, fat: 0x4c, fatSectors: 109 };
const ENTRY = { bytes: 128, nameBytes: 0x40, type: 0x42, left: 0x44, right: 0x48, child: 0x4c };
const STREAM = 2;
/** Directory sectors that are read: with 512 bytes each, 4,096 entries. */
const MAX_SECTORS = 1_024;

/**
 * Returns the names of the streams at the root of a compound file: a file system in a file, in which the office programs
 * of before 2007 saved. Streams of embedded documents are not among them. Source: [MS-CFB].
 */
export async function rootStreamsOf(path: string): Promise<string[]> {
  const file = await open(path);
  try {
    const header = await read(file, 0, HEADER.bytes);
    const shift = header?.readUInt16LE(HEADER.sectorShift);
    return header && (shift === 9 || shift === 12)
      ? namesIn(await new Sectors(file, header, 1 << shift).directory())
      : [];
  } finally {
    await file.close();
  }
}

/** The sectors of a compound file. The FAT, which has sectors of its own, tells which one follows another. */
class Sectors {
  private fat: { index: number; bytes: Buffer | null } = { index: -1, bytes: null };

  constructor(
    private readonly file: FileHandle,
    private readonly header: Buffer,
    private readonly size: number,
  ) {}

  /** A hostile file can at worst make it read the same sectors again, up to the limit. */
  async directory(): Promise<Buffer> {
    const found: Buffer[] = [];
    let sector = this.header.readUInt32LE(HEADER.directory);
    while (found.length < MAX_SECTORS) {
      const bytes = await this.read(sector);
      if (!bytes) break;
      found.push(bytes);
      sector = await this.next(sector);
    }
    return Buffer.concat(found);
  }

  /** @param sector one that exists, so that a hostile number cannot make the search for its FAT sector long */
  private async next(sector: number): Promise<number> {
    const perSector = this.size / 4;
    const index = Math.floor(sector / perSector);
    if (index !== this.fat.index) this.fat = { index, bytes: await this.read(await this.fatSector(index)) };
    return numberAt(this.fat.bytes, sector % perSector);
  }

  /** The header names the first FAT sectors. A chain of sectors names the others, and each ends with the next of them. */
  private async fatSector(index: number): Promise<number> {
    const beyond = index - HEADER.fatSectors;
    if (beyond < 0) return this.header.readUInt32LE(HEADER.fat + 4 * index);
    const perSector = this.size / 4 - 1;
    let list = await this.read(this.header.readUInt32LE(HEADER.moreFat));
    for (let hops = Math.floor(beyond / perSector); hops > 0; hops -= 1)
      list = await this.read(numberAt(list, perSector));
    return numberAt(list, beyond % perSector);
  }

  private read(sector: number): Promise<Buffer | null> {
    return read(this.file, (sector + 1) * this.size, this.size);
  }
}

/** No sector has this number. */
const NONE = 0xffffffff;

function numberAt(bytes: Buffer | null, index: number): number {
  return bytes && bytes.length >= 4 * index + 4 ? bytes.readUInt32LE(4 * index) : NONE;
}

/** @returns zeros for what is missing at the end of the file; null behind it */
async function read(file: FileHandle, offset: number, length: number): Promise<Buffer | null> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
  return bytesRead === 0 ? null : buffer;
}

/** Walks the tree of the root's entries. */
function namesIn(directory: Buffer): string[] {
  if (directory.length === 0) return [];
  const names: string[] = [];
  const seen = new Set<number>();
  const waiting = [directory.readUInt32LE(ENTRY.child)];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const entry = directory.subarray(id * ENTRY.bytes, (id + 1) * ENTRY.bytes);
    if (entry.length === 0 || seen.has(id)) continue;
    seen.add(id);
    const nameBytes = Math.min(entry.readUInt16LE(ENTRY.nameBytes), ENTRY.nameBytes);
    if (entry.readUInt8(ENTRY.type) === STREAM) names.push(entry.toString('utf16le', 0, Math.max(0, nameBytes - 2)));
    waiting.push(entry.readUInt32LE(ENTRY.left), entry.readUInt32LE(ENTRY.right));
  }
  return names;
}
