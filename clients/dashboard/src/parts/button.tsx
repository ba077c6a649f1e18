import type { ComponentChildren } from 'preact';

export interface ButtonProps {
  look?: 'primary' | 'quiet' | 'danger';
  type?: 'button' | 'submit';
  /** Shows a spinner. The button keeps its focus, so it is not disabled. */
  isWaiting?: boolean;
  /** Name for screen readers, if several buttons of a list have the same text. It begins with the text. */
  name?: string | undefined;
  isSmall?: boolean;
  onClick?: () => void;
  children: ComponentChildren;
}

export function Button(props: ButtonProps) {
  const { look = 'primary', type = 'button', isWaiting = false, name, isSmall = false, onClick, children } = props;
  return (
    <button
      class={`button ${look}${isSmall ? ' small' : ''}`}
      type={type}
      aria-label={name}
      aria-disabled={isWaiting}
      onClick={isWaiting ? undefined : onClick}
    >
      {isWaiting && <span class="spinner" aria-hidden="true" />}
      <span>{children}</span>
    </button>
  );
}
