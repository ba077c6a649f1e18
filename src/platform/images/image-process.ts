import { rename, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import type { AvailableFormatInfo, Sharp } from 'sharp';
import sharp from 'sharp';
import { mayHaveMetadata } from './image-metadata.js';
import type { ImageFacts, ImageTask } from './image-task.js';
import { MAX_PIXELS, THUMBNAIL_PIXELS, UNREADABLE } from './image-task.js';

/** The usual effort takes 20 seconds for a photo. */
const FAST_AVIF = { quality: 75, effort: 0 };

/**
 * The program that decodes an image in a process of its own: `node image-process.js TASK`, both task and answer in JSON.
 * A hostile image can at worst end this process.
 */
const task = JSON.parse(process.argv[2] ?? '{}') as ImageTask;
await giveWay();
sharp.cache(false);
sharp.concurrency(1);
process.stdout.write(JSON.stringify(await run(task)));

type Format = Exclude<Parameters<Sharp['toFormat']>[0], AvailableFormatInfo>;

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
  const isPersonal = [found.exif, found.xmp, found.iptc, found.comments].some(data => data !== undefined);
  if (removeMetadata && (isPersonal || (await mayHaveMetadata(input)))) {
    if (pixels > MAX_PIXELS) return { width, height, hasThumbnail: false, keepsMetadata: true };
    await rewrite(input, found.compression === 'av1' ? 'avif' : found.format);
  }
  const hasThumbnail = pixels <= MAX_PIXELS && (await makeThumbnail(input, thumbnail));
  return { width, height, hasThumbnail, keepsMetadata: false };
}

/** Writes the image again, turned as its metadata says, and without them. */
async function rewrite(input: string, format: Format): Promise<void> {
  const output = `${input}.rewritten`;
  await sharp(input, { animated: true, failOn: 'none', limitInputPixels: MAX_PIXELS })
    .autoOrient()
    .toFormat(format, format === 'avif' ? FAST_AVIF : { quality: 90 })
    .toFile(output);
  await rename(output, input);
}

/** @returns false for an image that cannot be decoded */
async function makeThumbnail(input: string, output: string): Promise<boolean> {
  try {
    await sharp(input, { limitInputPixels: MAX_PIXELS })
      .autoOrient()
      .resize({ width: THUMBNAIL_PIXELS, height: THUMBNAIL_PIXELS, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 75 })
      .toFile(output);
    return true;
  } catch {
    return false;
  }
}
