import type { ComponentChildren } from 'preact';

export type StateLook = 'plain' | 'good' | 'warning' | 'danger';

/** A state in a word or two. The colour only supports the words. */
export function StateBadge({ look = 'plain', children }: { look?: StateLook; children: ComponentChildren }) {
  return <span class={`state ${look}`}>{children}</span>;
}
