import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface SelectProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ComponentChildren;
}

/** A select of the browser with its label above. */
export function Select({ label, value, onChange, children }: SelectProps) {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={event => onChange(event.currentTarget.value)}>
        {children}
      </select>
    </div>
  );
}

export interface DayFieldProps {
  label: string;
  /** `YYYY-MM-DD`, or empty. */
  value: string;
  max?: string | undefined;
  min?: string | undefined;
  /** Id of the text that explains a fault. */
  describedBy?: string | undefined;
  onChange: (value: string) => void;
}

/** A date field of the browser with its label above. */
export function DayField({ label, value, min, max, describedBy, onChange }: DayFieldProps) {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        value={value}
        min={min}
        max={max}
        aria-invalid={describedBy ? 'true' : undefined}
        aria-describedby={describedBy}
        onChange={event => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
