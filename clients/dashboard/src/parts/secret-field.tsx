import { useId, useRef } from 'preact/hooks';
import { t } from '../texts/index.js';
import { Button } from './button.js';
import { useCopy } from './use-copy.js';

/** A value to copy that is shown once. The owner keeps it in its state only. */
export function SecretField({ label, value, hint }: { label: string; value: string; hint?: string }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const { isCopied, copy } = useCopy(value, () => field.current?.select());
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="copy">
        <input
          id={id}
          ref={field}
          class="code"
          type="text"
          dir="ltr"
          readOnly
          value={value}
          aria-describedby={`${id}-hint`}
          onFocus={event => event.currentTarget.select()}
        />
        <Button look="quiet" onClick={copy}>
          {t(isCopied ? 'copied' : 'copy')}
        </Button>
      </div>
      <p class="hint" id={`${id}-hint`}>
        {hint ?? t('shownOnce')}
      </p>
      <span class="unseen" role="status">
        {isCopied && t('copied')}
      </span>
    </div>
  );
}
