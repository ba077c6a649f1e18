import { readFile, rename, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import type { AvailableFormatInfo, Metadata, Sharp } from 'sharp';
import sharp from 'sharp';
import { mayHaveMetadata } from './image-metadata.js';
import type { ImageFacts, ImageTask } from './image-task.js';
import { withoutMetadata } from './jpeg-metadata.js';
import { DISK_FAILED, MAX_PIXELS, THUMBNAIL_PIXELS, UNREADABLE } from './image-task.js';

type Format = Exclude<Parameters<Sharp['toFormat']>[0], AvailableFormatInfo>;

/** The usual effort of AVIF takes 20 seconds for a photo. A quality would reduce a PNG to 256 colours. */
const OPTIONS: Partial<Record<Format, object>> = {
  avif: { quality: 75, effort: 0 },
  png: {},
  tiff: { compression: 'lzw' },
};

/**
 * The program that decodes an image in a process of its own: `node image-process.js TASK`, both task and answer in JSON.
 * A hostile image can at worst end this process. It writes files itself and not through libvips, whose errors do not show
 * whether the image or the disk is at fault.
 */
const task = JSON.parse(process.argv[2] ?? '{}') as ImageTask;
await giveWay();
sharp.cache(false);
sharp.concurrency(1);
try {
  process.stdout.write(JSON.stringify(await run(task)));
} catch (error) {
  if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  process.exitCode = DISK_FAILED;
}

/** Lets the service run first, and the system end this process first when memory is short. */
async function giveWay(): Promise<void> {
  setPriority(10);
  await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);
}

async function run({ input, thumbnail, removeMetadata }: ImageTask): Promise<ImageFacts> {
  const found = await sharp(input, { limitInputPixels: false })
    .metadata()
    .catch(() => null);
  if (!found) return { ...UNREADABLE, keepsMetadata: removeMetadata };
  const { width, height } = found.autoOrient;
  const pixels = found.width * (found.pageHeight ?? found.height) * (found.pages ?? 1);
  if (removeMetadata && (hasMetadata(found) || (await mayHaveMetadata(input)))) {
    if (pixels > MAX_PIXELS) {
      return { width, height, hasThumbnail: false, keepsMetadata: !(await cutMetadata(input, found)) };
    }
    await rewrite(input, found.compression === 'av1' ? 'avif' : found.format);
  }
  const hasThumbnail = pixels <= MAX_PIXELS && (await makeThumbnail(input, thumbnail));
  return { width, height, hasThumbnail, keepsMetadata: false };
}

/** True for every TIFF: libvips reads neither its EXIF nor its texts. */
function hasMetadata({ format, exif, xmp, iptc, comments }: Metadata): boolean {
  return format === 'tiff' || [exif, xmp, iptc, comments].some(data => data !== undefined);
}

/** Removes the metadata of an image that is too large to decode. @returns false where that is not possible */
async function cutMetadata(input: string, { format, orientation = 1 }: Metadata): Promise<boolean> {
  const image = format === 'jpeg' ? withoutMetadata(await readFile(input), orientation) : null;
  if (image) await replace(input, image);
  return image !== null;
}

/** Writes the image again, turned as its metadata says, and without them. */
async function rewrite(input: string, format: Format): Promise<void> {
  const image = await sharp(input, { animated: true, failOn: 'none', limitInputPixels: MAX_PIXELS })
    .autoOrient()
    .toFormat(format, OPTIONS[format] ?? { quality: 90 })
    .toBuffer();
  await replace(input, image);
}

async function replace(path: string, content: Buffer): Promise<void> {
  const output = `${path}.rewritten`;
  await writeFile(output, content);
  await rename(output, path);
}

/** @returns false for an image that cannot be decoded */
async function makeThumbnail(input: string, output: string): Promise<boolean> {
  const thumbnail = await sharp(input, { limitInputPixels: MAX_PIXELS })
    .autoOrient()
    .resize({ width: THUMBNAIL_PIXELS, height: THUMBNAIL_PIXELS, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .toBuffer()
    .catch(() => null);
  if (thumbnail) await writeFile(output, thumbnail);
  return thumbnail !== null;
}
