import { BOT, icon } from '@support-chat/ui/icons.jsx';
import type { VNode } from 'preact';

/**
 * Draws the first letters of a name, under the person's picture once it has been loaded. Decoration: the name stands
 * beside it.
 */
export function avatar(name: string | null, url?: string | null, isBot?: boolean): VNode {
  return (
    <span class="avatar" aria-hidden="true">
      {isBot ? icon(BOT) : initials(name)}
      {url && <img key={url} src={url} alt="" onError={event => (event.currentTarget.hidden = true)} />}
    </span>
  );
}

function initials(name: string | null): string {
  const words = (name ?? '').trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map(word => [...(word ?? '')][0] ?? '');
  return letters.join('').toUpperCase() || '?';
}
