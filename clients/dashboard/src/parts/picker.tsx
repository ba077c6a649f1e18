import { icon } from '@support-chat/ui/icons.jsx';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface PickerOption {
  id: string;
  name: string;
  /** Shown beside the name, such as a key or a time. */
  hint?: string | undefined;
  isChosen?: boolean;
}

export interface PickerProps {
  /** Name of the field and of the list. */
  label: string;
  options: readonly PickerOption[];
  /** The picker stands at it, or in the middle of the window. */
  anchor: HTMLElement | undefined;
  /** Stays open, so that several can be chosen. */
  isMultiple?: boolean;
  /** For long names. */
  isWide?: boolean;
  /** The sentence of an empty list. */
  nothing: string;
  onPick(id: string): void;
  onClose(): void;
  /** Offers an entry for a text that no option has; its id is the text. */
  create?: ((text: string) => PickerOption | undefined) | undefined;
}

const CHECK = 'M5 12.5l4.5 4.5L19 7.5';
const MARGIN = 8;
const GAP = 4;

/** A menu with a field that filters it: arrow keys move, Enter chooses, Escape closes. */
export function Picker(props: PickerProps) {
  const { label, anchor, isMultiple = false, isWide = false, nothing, onPick, onClose } = props;
  const popover = useRef<HTMLDivElement>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const options = matching(props, text);
  const activeIndex = Math.min(active, options.length - 1);

  useLayoutEffect(() => {
    const { current } = popover;
    if (!current) return;
    current.showPopover();
    if (anchor) standAt(current, anchor);
    current.querySelector('input')?.focus();
  }, [anchor]);

  const isClosed = useRef(false);
  // the browser reports a closed popover later, when the next key may have opened a picker again
  const close = () => {
    isClosed.current = true;
    popover.current?.hidePopover();
    onClose();
  };
  const pick = (option: PickerOption | undefined) => {
    if (!option) return;
    onPick(option.id);
    setText('');
    if (!isMultiple) close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setActive((activeIndex + step + options.length) % Math.max(1, options.length));
    else if (event.key === 'Enter') pick(options[activeIndex]);
    else if (event.key === 'Tab' || event.key === 'Escape') close();
    else return;
    if (event.key !== 'Tab') event.preventDefault();
  };
  return (
    <div
      class={`picker${anchor ? '' : ' centered'}${isWide ? ' wide' : ''}`}
      ref={popover}
      popover="auto"
      onToggle={event => {
        if (event.newState === 'closed' && !isClosed.current) onClose();
      }}
      onKeyDown={onKeyDown}
    >
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={options.length > 0 ? `${listId}-${activeIndex}` : undefined}
        placeholder={label}
        autocomplete="off"
        value={text}
        onInput={event => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
      />
      <div id={listId} role="listbox" aria-label={label} aria-multiselectable={isMultiple}>
        {options.map((option, index) => (
          <div
            key={option.id}
            id={`${listId}-${index}`}
            class={index === activeIndex ? 'option active' : 'option'}
            role="option"
            aria-selected={option.isChosen ?? false}
            onPointerMove={() => setActive(index)}
            onClick={() => pick(option)}
          >
            <span class="name">{option.name}</span>
            {option.hint && <span class="hint">{option.hint}</span>}
            {option.isChosen && icon(CHECK)}
          </div>
        ))}
      </div>
      {options.length === 0 && <p class="none">{nothing}</p>}
    </div>
  );
}

function matching({ options, create }: PickerProps, text: string): PickerOption[] {
  const typed = text.trim().toLocaleLowerCase();
  const found = options.filter(({ name }) => name.toLocaleLowerCase().includes(typed));
  const isNew = typed !== '' && !options.some(({ name }) => name.toLocaleLowerCase() === typed);
  const created = isNew ? create?.(text.trim()) : undefined;
  return created ? [...found, created] : found;
}

/** Below the anchor, or above it where there is more space, and within the window. */
export function standAt(element: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth, offsetHeight, style } = element;
  const fitsBelow = at.bottom + GAP + offsetHeight + MARGIN <= innerHeight;
  const top = fitsBelow || at.top < innerHeight - at.bottom ? at.bottom + GAP : at.top - GAP - offsetHeight;
  const isRightToLeft = getComputedStyle(element).direction === 'rtl';
  const left = isRightToLeft ? at.right - offsetWidth : at.left;
  style.top = `${Math.max(MARGIN, Math.min(top, innerHeight - offsetHeight - MARGIN))}px`;
  style.left = `${Math.max(MARGIN, Math.min(left, innerWidth - offsetWidth - MARGIN))}px`;
}
