import { useId, useState } from 'preact/hooks';
import { t } from './texts/index.js';

/** A sign that explains a figure while it is hovered or focused. Escape closes the explanation. */
export function Definition({ of: figure, children: text }: { of: string; children: string }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <span class="definition" onMouseEnter={() => setOpen(true)} onMouseLeave={() => setOpen(false)}>
      <button
        type="button"
        aria-label={t('definition', { figure })}
        aria-describedby={id}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onClick={() => setOpen(true)}
        onKeyDown={event => {
          if (event.key === 'Escape') setOpen(false);
        }}
      >
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M12 21a9 9 0 100-18 9 9 0 000 18zM12 11v5.5M12 7.7v.1" />
        </svg>
      </button>
      <span class={isOpen ? 'tooltip' : 'tooltip unseen'} role="tooltip" id={id}>
        {text}
      </span>
    </span>
  );
}
