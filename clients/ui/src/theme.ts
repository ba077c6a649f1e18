import { adjust, contrast, formatColor, parseColor, type Rgb } from './color.js';

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
  const fill = dark
    ? adjust(brand, light => clamp(light, 0.42, 0.8), 0.9)
    : adjust(brand, light => clamp(light, 0, 0.9));
  const surface = parseColor(SURFACES[dark ? 'dark' : 'light']) as Rgb;
  return {
    fill: formatColor(fill),
    onFill: formatColor([WHITE, INK].find(ink => contrast(ink, fill) >= 4.5) ?? BLACK),
    control: formatColor(reach(3, brand, surface, dark)),
    text: formatColor(reach(4.5, brand, surface, dark)),
  };
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

/** Steps the lightness away from the surface until the contrast is reached; the hue stays. */
function reach(ratio: number, brand: Rgb, surface: Rgb, dark: boolean): Rgb {
  let color = adjust(brand, light => light, dark ? 0.9 : 1);
  for (let step = 1; contrast(color, surface) < ratio && step <= 100; step++) {
    color = adjust(brand, light => light + (dark ? step : -step) / 100, dark ? 0.9 : 1);
  }
  return color;
}
