import { contrast, parseColor, type Rgb } from '@support-chat/ui/color.js';
import { brandColors } from '@support-chat/ui/theme.js';
import type { TextKey } from '../texts/index.js';

/** WCAG 2.2, 1.4.11: the least contrast of a control. */
const MIN_CONTRAST = 3;
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

/** A sentence about a colour. */
export interface ColorAdvice {
  readonly key: TextKey;
  /** Contrast to 1, cut to one digit and not rounded: 2.96 is not 3. */
  readonly ratio?: number;
}

/** A colour as the chat uses it. */
export interface ColorSample {
  readonly key: TextKey;
  readonly fill: string;
  readonly onFill: string;
}

/** Sentences about a colour of the brand that is hard to see somewhere. @param color `#rrggbb` */
export function adviceOn(color: string): ColorAdvice[] {
  const rgb = parseColor(color);
  if (!rgb) return [];
  const pages = [
    { key: 'colorPale', ratio: contrast(rgb, WHITE) },
    { key: 'colorDim', ratio: contrast(rgb, BLACK) },
  ] as const;
  const isAdapted = samplesOf(color).some(({ fill }) => fill !== color.toLowerCase());
  return [
    ...pages
      .filter(({ ratio }) => ratio < MIN_CONTRAST)
      .map(({ key, ratio }) => ({ key, ratio: Math.floor(ratio * 10) / 10 })),
    ...(isAdapted ? [{ key: 'colorAdapted' } as const] : []),
  ];
}

/** The colour in the light and the dark chat. */
export function samplesOf(color: string): ColorSample[] {
  return (['sampleLight', 'sampleDark'] as const).map(key => ({ key, ...brandColors(color, key === 'sampleDark') }));
}
