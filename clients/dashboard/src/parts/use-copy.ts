import { useEffect, useState } from 'preact/hooks';
import { copyText } from './copy-text.js';

const COPIED_MS = 2_000;

/**
 * Copies a text.
 * @param select selects the text for the person, when the browser forbids to copy
 * @returns whether it was copied a moment ago
 */
export function useCopy(value: string, select: () => void): { isCopied: boolean; copy(): void } {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    // Where it fails, the person copies the selection.
    copyText(value).then(() => setCopied(true), select);
  };
  return { isCopied, copy };
}
