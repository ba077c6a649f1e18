import { icon } from '@support-chat/ui/icons.jsx';
import type { JSX, VNode } from 'preact';

/** A button that shows an icon. @param more other properties, such as another class */
export function iconButton(
  path: string,
  label: string,
  onClick: () => void,
  more?: JSX.IntrinsicElements['button'],
): VNode {
  return (
    <button class="icon-button" aria-label={label} onClick={onClick} {...more}>
      {icon(path)}
    </button>
  );
}
