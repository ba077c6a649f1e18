import { initialsOf } from './names.js';

const HUES = 12;

/** A picture, or initials on a colour that the id decides. The name stands beside it. */
export function Avatar({
  id,
  name,
  url,
  isOnline,
}: {
  id: string;
  name: string;
  url?: string | null;
  isOnline?: boolean;
}) {
  return (
    <span class={`avatar hue-${hueOf(id)}${isOnline ? ' online' : ''}`} aria-hidden="true">
      {url ? <img src={url} alt="" loading="lazy" referrerpolicy="no-referrer" /> : initialsOf(name)}
    </span>
  );
}

function hueOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + character.charCodeAt(0)) >>> 0;
  return sum % HUES;
}
