export interface Suggestion {
  id: string;
  name: string;
  hint?: string | undefined;
  /** The text that is inserted, where the name does not say it. */
  preview?: string | undefined;
}

interface SuggestionsProps {
  id: string;
  label: string;
  items: readonly Suggestion[];
  activeIndex: number;
  onPick(item: Suggestion): void;
}

/** The list above the text while a word such as `/thanks` is typed. The focus stays in the text. */
export function Suggestions({ id, label, items, activeIndex, onPick }: SuggestionsProps) {
  const preview = items[activeIndex]?.preview;
  return (
    <div class="suggestions">
      <div id={id} role="listbox" aria-label={label}>
        {items.map((item, index) => (
          <div
            key={item.id}
            id={`${id}-${index}`}
            class={index === activeIndex ? 'option active' : 'option'}
            role="option"
            aria-selected={index === activeIndex}
            onPointerDown={event => {
              event.preventDefault();
              onPick(item);
            }}
          >
            <span class="name" dir="auto">
              {item.name}
            </span>
            {item.hint && <span class="hint">{item.hint}</span>}
          </div>
        ))}
      </div>
      {preview && (
        <p class="preview" dir="auto">
          {preview}
        </p>
      )}
    </div>
  );
}
