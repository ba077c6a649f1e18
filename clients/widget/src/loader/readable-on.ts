/** Returns black or white, whichever has the higher contrast on the colour (WCAG 2.2). @param color `#rrggbb` */
export function readableOn(color: string): string {
  // differs from the curve of sRGB by less than 0.01
  const [red, green, blue] = [1, 3, 5].map(at => (parseInt(color.slice(at, at + 2), 16) / 255) ** 2.2);
  const luminance = 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  // both have the same contrast, the square root of 21 to 1, where (luminance + 0.05)² is 0.0525
  return luminance > 0.179 ? '#000' : '#fff';
}
