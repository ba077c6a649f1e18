import sharp from 'sharp';

/** Chromium rounds the colours of shadows and round corners differently from one drawing to the next. */
export const ROUNDING = 2;

/**
 * Compares two PNG pictures pixel by pixel.
 * @returns the largest difference of a colour of a pixel, 0 to 255; 255 if the pictures have different sizes
 */
export async function differenceOf(one: Buffer, other: Buffer): Promise<number> {
  const [first, second] = await Promise.all([one, other].map(png => sharp(png).removeAlpha().raw().toBuffer()));
  if (first!.length !== second!.length) return 255;
  return first!.reduce((most, colour, index) => Math.max(most, Math.abs(colour - second![index]!)), 0);
}
