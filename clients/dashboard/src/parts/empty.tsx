import type { ComponentChildren } from 'preact';

/** An empty list: what it is for, and the one next step. */
export function Empty({ title, text, children }: { title: string; text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  );
}
