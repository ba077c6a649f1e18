import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { describeError } from '../../forms/describe-error.js';
import { Banner } from '../../parts/banner.js';
import { Button } from '../../parts/button.js';
import { COMMON_CODES } from '../errors.js';
import { Section } from '../screen.js';
import { t, type TextKey } from './texts/index.js';

export interface TestSectionProps<Result> {
  intro: string;
  run(): Promise<Result>;
  /** Shows the outcome. */
  children: (result: Result) => ComponentChildren;
}

const CODES = { ...COMMON_CODES, bot_url_missing: { key: 'addressMissing' }, timeout: { key: 'testTimeout' } } as const;

/** Calls an address once, and shows below the button how it went. */
export function TestSection<Result>({ intro, run, children }: TestSectionProps<Result>) {
  const [isWaiting, setWaiting] = useState(false);
  const [outcome, setOutcome] = useState<{ result: Result } | { failure: string }>();
  const start = async () => {
    setWaiting(true);
    setOutcome(undefined);
    try {
      setOutcome({ result: await run() });
    } catch (error) {
      setOutcome({ failure: describeError<TextKey>(error, CODES, t) });
    }
    setWaiting(false);
  };
  return (
    <Section title={t('test')} intro={intro}>
      <div>
        <Button look="quiet" isWaiting={isWaiting} onClick={() => void start()}>
          {t('runTest')}
        </Button>
      </div>
      {outcome && 'failure' in outcome && <Banner kind="danger">{outcome.failure}</Banner>}
      {outcome && 'result' in outcome && children(outcome.result)}
    </Section>
  );
}

/** Text of an answer. Nothing in it is interpreted. */
export function AnswerText({ label, text }: { label: string; text: string }) {
  return (
    <figure class="answer">
      <figcaption>{label}</figcaption>
      <pre dir="auto" tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
    </figure>
  );
}
