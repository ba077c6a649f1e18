import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Button } from '../parts/button.js';
import type { Form } from '../forms/use-form.js';
import { Banner } from '../parts/banner.js';
import { t } from './texts/index.js';

export interface ScreenProps {
  title: string;
  intro?: string;
  /** Link to the list that the screen belongs to. */
  parent?: { href: string; name: string };
  /** Beside the title. */
  action?: ComponentChildren;
  /** Tells that the person can only read. */
  isReadOnly?: boolean;
  children: ComponentChildren;
}

/** Title and column of a screen of the settings. A screen that replaces the list gets its focus. */
export function Screen({ title, intro, parent, action, isReadOnly = false, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, []);
  return (
    <>
      <header class="head">
        {parent && (
          <Link class="parent" href={parent.href}>
            {parent.name}
          </Link>
        )}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {action}
        {intro && <p class="intro">{intro}</p>}
        {isReadOnly && <p class="intro">{t('readOnly')}</p>}
      </header>
      {children}
    </>
  );
}

/** A part of a screen with a heading. */
export function Section({ title, intro, children }: { title: string; intro?: string; children: ComponentChildren }) {
  return (
    <section class="part" aria-label={title}>
      <h2>{title}</h2>
      {intro && <p class="intro">{intro}</p>}
      {children}
    </section>
  );
}

/** The failure of a form, and its buttons. */
export function SaveBar<Field extends string>({ form }: { form: Form<Field> }) {
  return (
    <>
      {form.failure && <Banner kind="danger">{form.failure}</Banner>}
      <SaveButtons isChanged={form.isChanged} isSending={form.isSending} onDiscard={form.reset} />
    </>
  );
}

interface SaveButtonsProps {
  isChanged: boolean;
  isSending: boolean;
  onDiscard(): void;
}

/** Saves a form or gives its changes up. It appears with the first change; afterwards the focus stays here. */
function SaveButtons({ isChanged, isSending, onDiscard }: SaveButtonsProps) {
  const bar = useRef<HTMLDivElement>(null);
  const wasChanged = useRef(false);
  useEffect(() => {
    if (wasChanged.current && !isChanged && document.activeElement === document.body) bar.current?.focus();
    wasChanged.current = isChanged;
  }, [isChanged]);
  return (
    <div ref={bar} class={isChanged ? 'save-bar' : 'no-save-bar'} tabIndex={-1}>
      {isChanged && (
        <>
          <Button look="quiet" onClick={onDiscard}>
            {t('discard')}
          </Button>
          <Button type="submit" isWaiting={isSending}>
            {t('save')}
          </Button>
        </>
      )}
    </div>
  );
}

/** Values that the person can only read. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="fact-list">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
