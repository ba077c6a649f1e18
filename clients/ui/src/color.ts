/** Colour as red, green and blue, each 0 to 255. */
export type Rgb = readonly [number, number, number];
/** Lightness 0 to 1, and the two axes of OKLab. */
type Lab = readonly [number, number, number];

/** @returns undefined unless the text is `#rgb` or `#rrggbb` */
export function parseColor(text: string): Rgb | undefined {
  const [, short, long] = /^#(?:([0-9a-f]{3})|([0-9a-f]{6}))$/i.exec(text) ?? [];
  const digits = long ?? short?.replace(/./g, '$&$&');
  if (!digits) return undefined;
  const value = parseInt(digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function formatColor(rgb: Rgb): string {
  return `#${rgb.map(part => part.toString(16).padStart(2, '0')).join('')}`;
}

const toLinear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const fromLinear = (part: number) => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055);

/** Contrast of two colours by WCAG 2, 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map(part => toLinear(part / 255)) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

type Row = readonly [number, number, number];
const times = (rows: readonly Row[], vector: readonly number[]) =>
  rows.map(row => row.reduce((sum, factor, index) => sum + factor * (vector[index] ?? 0), 0)) as unknown as Lab;

// The matrices of OKLab: https://bottosson.github.io/posts/oklab
const TO_CONES: Row[] = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const TO_LAB: Row[] = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];
const FROM_LAB: Row[] = [
  [1, 0.3963377774, 0.2158037573],
  [1, -0.1055613458, -0.0638541728],
  [1, -0.0894841775, -1.291485548],
];
const FROM_CONES: Row[] = [
  [4.0767416621, -3.3077115913, 0.2309699292],
  [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701],
];

function toLab(rgb: Rgb): Lab {
  const linear = rgb.map(part => toLinear(part / 255));
  return times(TO_LAB, times(TO_CONES, linear).map(Math.cbrt));
}

/** Colours outside of what screens show are clipped. */
function fromLab(lab: Lab): Rgb {
  const linear = times(
    FROM_CONES,
    times(FROM_LAB, lab).map(cone => cone ** 3),
  );
  return linear.map(part => Math.round(255 * Math.min(1, Math.max(0, fromLinear(part))))) as unknown as Rgb;
}

/** Changes lightness, and saturation by a factor; keeps the hue. */
export function adjust(rgb: Rgb, lightness: (value: number) => number, saturation = 1): Rgb {
  const [light, a, b] = toLab(rgb);
  return fromLab([Math.min(1, Math.max(0, lightness(light))), a * saturation, b * saturation]);
}
