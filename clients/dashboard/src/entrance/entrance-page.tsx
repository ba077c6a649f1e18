import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../texts/index.js';

export interface EntrancePageProps {
  title: string;
  intro?: ComponentChildren;
  children?: ComponentChildren;
  /** Below the card. */
  footer?: ComponentChildren;
}

/**
 * The frame of every screen before the dashboard: a card with a heading. A new screen moves the focus to its first
 * field, or else to its heading, so that screen readers read it.
 */
export function EntrancePage({ title, intro, children, footer }: EntrancePageProps) {
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${title} · ${t('product')}`;
    const first = main.current?.querySelector<HTMLElement>('input[autofocus]') ?? main.current?.querySelector('h1');
    first?.focus();
  }, [title]);
  return (
    <main class="entrance" ref={main}>
      <Mark />
      <div class="card">
        <h1 tabIndex={-1}>{title}</h1>
        {intro && <p class="intro">{intro}</p>}
        {children}
      </div>
      {footer && <p class="footer">{footer}</p>}
    </main>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 40 40" aria-hidden="true">
      <rect width="40" height="40" rx="11" />
      <path d="M12 13.5h16a2.5 2.5 0 012.5 2.5v8.5A2.5 2.5 0 0128 27h-7.5L15 31v-4h-3a2.5 2.5 0 01-2.5-2.5V16a2.5 2.5 0 012.5-2.5z" />
    </svg>
  );
}
