import { contrast, formatColor, luminance, mixUntil, parseColor, type Rgb } from './color.js';

/** Colours that follow from the colour of the brand. */
export interface BrandColors {
  /** Fills the header and own messages. */
  fill: string;
  /** Text on `fill`, at least 4.5:1. */
  onFill: string;
  /** Icons, borders and focus, at least 3:1 on every surface. */
  control: string;
  /** Links and buttons without a fill, at least 4.5:1 on every surface. */
  text: string;
}

/** The surfaces on which colours of the brand stand, the least favourable one of each theme. */
export const SURFACES = { light: '#eff1f4', dark: '#2a2d33' } as const;
const DEFAULT_BRAND = '#2563eb';
const WHITE: Rgb = [255, 255, 255];
const INK: Rgb = [22, 24, 29];
const BLACK: Rgb = [0, 0, 0];

/** @param primary `#rgb` or `#rrggbb`; anything else gives the default colour */
export function brandColors(primary: string, dark: boolean): BrandColors {
  const brand = parseColor(primary) ?? (parseColor(DEFAULT_BRAND) as Rgb);
  const surface = parseColor(SURFACES[dark ? 'dark' : 'light']) as Rgb;
  // neither glaring nor lost against the panel
  const [darkest, brightest] = dark ? [0.074, 0.512] : [0, 0.729];
  const dimmed = mixUntil(brand, BLACK, mixed => luminance(mixed) <= brightest);
  const fill = mixUntil(dimmed, WHITE, mixed => luminance(mixed) >= darkest);
  const reach = (ratio: number): string =>
    formatColor(mixUntil(brand, dark ? WHITE : BLACK, mixed => contrast(mixed, surface) >= ratio));
  return {
    fill: formatColor(fill),
    onFill: formatColor([WHITE, INK].find(ink => contrast(ink, fill) >= 4.5) ?? BLACK),
    control: reach(3),
    text: reach(4.5),
  };
}
