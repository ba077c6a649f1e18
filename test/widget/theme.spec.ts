import { describe, expect, it } from '@jest/globals';
import { contrast, parseColor, type Rgb } from '../../clients/ui/src/color.js';
import { brandColors, SURFACES } from '../../clients/ui/src/theme.js';

const rgb = (color: string) => parseColor(color) as Rgb;
const EVERY_SHORT_COLOR = Array.from({ length: 4096 }, (_, index) => `#${index.toString(16).padStart(3, '0')}`);

/** The colours of the brand whose theme has too little contrast somewhere. */
function unreadable(dark: boolean): string[] {
  const surfaces = dark ? [SURFACES.dark, '#191b1f'] : [SURFACES.light, '#ffffff'];
  return EVERY_SHORT_COLOR.filter(brand => {
    const { fill, onFill, control, text } = brandColors(brand, dark);
    const isReadable = contrast(rgb(onFill), rgb(fill)) >= 4.5;
    return (
      !isReadable || surfaces.some(on => contrast(rgb(control), rgb(on)) < 3 || contrast(rgb(text), rgb(on)) < 4.5)
    );
  });
}

describe('The colours of a brand', () => {
  it('Each of 4,096 brands has readable text, links and controls on a light page', () => {
    expect(unreadable(false)).toEqual([]);
  });

  it('Each of 4,096 brands has readable text, links and controls on a dark page', () => {
    expect(unreadable(true)).toEqual([]);
  });

  it('A brand with enough contrast is used as it is', () => {
    expect(brandColors('#2563eb', false)).toEqual({
      fill: '#2563eb',
      onFill: '#ffffff',
      control: '#2563eb',
      text: '#2563eb',
    });
  });

  it('Text on yellow is dark', () => {
    expect(brandColors('#ffdd00', false).onFill).toBe('#16181d');
  });

  it('A colour that cannot be read gives the default one', () => {
    expect(brandColors('red;}*{', false)).toEqual(brandColors('#2563eb', false));
  });

  it('Black on white has the contrast 21 of WCAG', () => {
    expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21);
    expect(contrast(rgb('#777777'), rgb('#ffffff'))).toBeCloseTo(4.48, 2);
  });
});
