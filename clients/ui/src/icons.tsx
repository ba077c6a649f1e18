import type { VNode } from 'preact';

// Paths on a grid of 24, drawn with a stroke.
export const CLOSE = 'M6 6l12 12M18 6L6 18';
export const BACK = 'M15 5l-7 7 7 7';
export const SEND = 'M5 12h14M13 6l6 6-6 6';
export const ATTACH = 'M20 11.5l-8 8a5 5 0 01-7-7l8.5-8.5a3.3 3.3 0 014.7 4.7l-8.5 8.5a1.7 1.7 0 01-2.4-2.4l7.7-7.7';
export const EMOJI = 'M12 21a9 9 0 100-18 9 9 0 000 18zM8.5 14.5a4.3 4.3 0 007 0M9 9.5v.1M15 9.5v.1';
export const DOWN = 'M12 5v14M6 13l6 6 6-6';
export const MORE = 'M5 12v.1M12 12v.1M19 12v.1';
export const FILE = 'M14 3H7a2 2 0 00-2 2v14a2 2 0 002 2h10a2 2 0 002-2V8zM14 3v5h5';
export const BOT = 'M5 9h14v10H5zM12 9V5M9 13.5v1M15 13.5v1';

/** Draws an icon without a name of its own: its button has one. */
export function icon(path: string): VNode {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
