import { fileTypeFromBuffer, fileTypeFromFile } from 'file-type';
import { rootStreamsOf } from './compound-file.js';

/** First bytes that suffice to know most types. */
export const HEAD_BYTES = 4_100;

export const UNKNOWN_TYPE = 'application/octet-stream';

/** Types of text that its name tells. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  md: 'text/markdown',
  markdown: 'text/markdown',
};

/** Other names of types. Documents that a browser would run are text, whatever their root element is. */
const SAME_AS: Readonly<Record<string, string>> = {
  'application/xml': 'text/plain',
  'application/x-zip-compressed': 'application/zip',
  'image/apng': 'image/png',
};

/** Names of the streams in a compound file by which the office programs of before 2007 are told apart. */
const COMPOUND_TYPES: readonly (readonly [stream: string, type: string])[] = [
  ['WordDocument', 'application/msword'],
  ['Workbook', 'application/vnd.ms-excel'],
  ['Book', 'application/vnd.ms-excel'],
  ['PowerPoint Document', 'application/vnd.ms-powerpoint'],
];
const COMPOUND = 'application/x-cfb';

/** Types that share a container: the first bytes do not tell. */
const CONTAINERS = new Set(['application/zip', COMPOUND]);

/** Formats that are text themselves. A registry file is one too, and Windows runs it. */
const TEXT_FORMATS = /^(?:text\/.+|application\/(?:pdf|rtf|xml|x-ms-regedit))$/;

/**
 * Returns the type that the first bytes prove; null if more is needed.
 * @param isText true if they are valid UTF-8 without control characters
 */
export async function typeOfHead(head: Buffer, isText: boolean): Promise<string | null> {
  const found = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime;
  return found === undefined || CONTAINERS.has(found) || isChance(found, isText) ? null : normalType(found);
}

/**
 * Detects the type of a complete file by its content. The name decides only which kind of text it is.
 * @param isText true if the file is valid UTF-8 without control characters
 */
export async function typeOfFile(path: string, { name, isText }: { name: string; isText: boolean }): Promise<string> {
  const found = (await fileTypeFromFile(path).catch(() => undefined))?.mime;
  if (found === COMPOUND) return compoundTypeOf(path);
  if (found !== undefined && !isChance(found, isText)) return normalType(found);
  if (!isText) return UNKNOWN_TYPE;
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return TEXT_TYPES[extension] ?? 'text/plain';
}

/** Signatures that consist of letters also begin texts: `BM` a bitmap, `FORM` a sound. No such file is text throughout. */
function isChance(found: string, isText: boolean): boolean {
  return isText && !TEXT_FORMATS.test(found.split(';', 1)[0] ?? found);
}

function normalType(mime: string): string {
  const plain = mime.split(';', 1)[0] ?? mime;
  return SAME_AS[plain] ?? plain;
}

async function compoundTypeOf(path: string): Promise<string> {
  const streams = await rootStreamsOf(path).catch((): string[] => []);
  return COMPOUND_TYPES.find(([stream]) => streams.includes(stream))?.[1] ?? UNKNOWN_TYPE;
}

/** Tells if a stream of chunks is UTF-8 text: no control characters but tab, line feed and carriage return. */
export class TextCheck {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private text = true;

  add(chunk: Buffer): void {
    if (!this.text) return;
    try {
      this.text = !CONTROL.test(this.decoder.decode(chunk, { stream: true }));
    } catch {
      this.text = false;
    }
  }

  /** True if all that has come so far is text. */
  get isTextSoFar(): boolean {
    return this.text;
  }

  /** @returns false also for an incomplete character at the end */
  end(): boolean {
    if (!this.text) return false;
    try {
      this.decoder.decode();
      return true;
    } catch {
      return false;
    }
  }
}

/** Both sets: some terminals obey U+009B like ESC [. */
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/;
