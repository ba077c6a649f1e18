import { useEffect, useState } from 'preact/hooks';
import { t } from './texts/index.js';

const PAUSE_MS = 200;

/** Reports the text when nothing was typed for a moment. */
export function SearchField({ onSearch }: { onSearch: (text: string) => void }) {
  const [text, setText] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => onSearch(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="field" role="search">
      <input
        type="search"
        aria-label={t('search')}
        placeholder={t('search')}
        autocomplete="off"
        dir="auto"
        value={text}
        onInput={event => setText(event.currentTarget.value)}
      />
    </div>
  );
}
