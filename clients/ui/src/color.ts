/** Colour as red, green and blue, each 0 to 255. */
export type Rgb = readonly [number, number, number];

/** @returns undefined unless the text is `#rgb` or `#rrggbb` */
export function parseColor(text: string): Rgb | undefined {
  if (!/^#([0-9a-f]{3}){1,2}$/i.test(text)) return undefined;
  const value = parseInt(text.slice(1).replace(/^(.)(.)(.)$/, '$1$1$2$2$3$3'), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function formatColor([red, green, blue]: Rgb): string {
  return `#${((1 << 24) | (red << 16) | (green << 8) | blue).toString(16).slice(1)}`;
}

/** Contrast of two colours by WCAG 2, 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one) + 0.05, luminance(other) + 0.05];
  return Math.max(a / b, b / a);
}

/** Brightness of a colour as WCAG 2 defines it, 0 to 1. */
export function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map(part =>
    part <= 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  ) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Mixes a colour with more and more of another one until it fits. */
export function mixUntil(color: Rgb, other: Rgb, fits: (mixed: Rgb) => boolean): Rgb {
  let mixed = color;
  for (let percent = 1; !fits(mixed) && percent <= 100; percent++) {
    mixed = color.map((part, index) => Math.round(part + ((other[index]! - part) * percent) / 100)) as unknown as Rgb;
  }
  return mixed;
}
