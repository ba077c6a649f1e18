import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '@support-chat/ui/icons.jsx';

interface AvatarProps {
  name: string | null;
  url?: string | null | undefined;
  isBot?: boolean;
}

/** The picture of a person, else the first letters of the name. Decoration: the name stands beside it. */
export function Avatar({ name, url, isBot }: AvatarProps): VNode {
  const [failed, setFailed] = useState(false);
  if (url && !failed) return <img class="avatar" src={url} alt="" onError={() => setFailed(true)} />;
  return (
    <span class="avatar" aria-hidden="true">
      {isBot ? <Icon name="bot" /> : initials(name)}
    </span>
  );
}

function initials(name: string | null): string {
  const words = (name ?? '').trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map(word => [...(word ?? '')][0] ?? '');
  return letters.join('').toUpperCase() || '?';
}
