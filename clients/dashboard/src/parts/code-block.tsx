import { useRef } from 'preact/hooks';
import { t } from '../texts/index.js';
import { Button } from './button.js';
import { useCopy } from './use-copy.js';

/** Code to copy. @param label names the code and its button */
export function CodeBlock({ label, code }: { label: string; code: string }) {
  const block = useRef<HTMLPreElement>(null);
  const select = () => {
    if (block.current) getSelection()?.selectAllChildren(block.current);
  };
  const { isCopied, copy } = useCopy(code, select);
  return (
    <div class="code-block">
      <pre ref={block} dir="ltr" tabIndex={0} role="group" aria-label={label}>
        {code}
      </pre>
      <Button look="quiet" isSmall name={`${t(isCopied ? 'copied' : 'copy')}: ${label}`} onClick={copy}>
        {t(isCopied ? 'copied' : 'copy')}
      </Button>
      <span class="unseen" role="status">
        {isCopied && t('copied')}
      </span>
    </div>
  );
}
