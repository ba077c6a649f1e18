import type { ComponentChildren } from 'preact';

export interface ButtonProps {
  look?: 'primary' | 'quiet' | 'danger';
  type?: 'button' | 'submit';
  /** Shows a spinner. The button keeps its focus, so it is not disabled. */
  isWaiting?: boolean;
  onClick?: () => void;
  children: ComponentChildren;
}

export function Button({ look = 'primary', type = 'button', isWaiting = false, onClick, children }: ButtonProps) {
  return (
    <button class={`button ${look}`} type={type} aria-disabled={isWaiting} onClick={isWaiting ? undefined : onClick}>
      {isWaiting && <span class="spinner" aria-hidden="true" />}
      <span>{children}</span>
    </button>
  );
}
