import type { ComponentChildren } from 'preact';

export interface RowProps {
  title: ComponentChildren;
  /** Small facts below the title. */
  facts?: readonly (string | false | null | undefined)[];
  /** Buttons at the end. */
  children?: ComponentChildren;
}

/** An entry of a list in `.rows`. */
export function Row({ title, facts = [], children }: RowProps) {
  const shown = facts.filter(Boolean);
  return (
    <li class="row">
      <div class="words">
        <div class="title">{title}</div>
        {shown.length > 0 && <p class="facts">{shown.join(' · ')}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </li>
  );
}
