const INLINE = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif']);

/** Tells if a browser may show the file itself. All else is downloaded: it could contain a script. */
export function isShownInline(contentType: string): boolean {
  return INLINE.has(contentType) || /^(?:audio|video)\//.test(contentType);
}
