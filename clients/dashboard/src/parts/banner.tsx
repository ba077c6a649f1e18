import type { ComponentChildren } from 'preact';

/** A sentence above a form. Screen readers read it when it appears. An error is announced at once. */
export function Banner({ kind, children }: { kind: 'info' | 'success' | 'danger'; children: ComponentChildren }) {
  return (
    <p class={`banner ${kind}`} role={kind === 'danger' ? 'alert' : 'status'}>
      {children}
    </p>
  );
}
