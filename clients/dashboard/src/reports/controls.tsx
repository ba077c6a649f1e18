import { FieldFrame } from '../parts/field-frame.js';

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

/** A date field of the browser. Two of them may share a fault. */
export function DayField({ label, value, min, max, describedBy, onChange }: DayFieldProps) {
  return (
    <FieldFrame label={label}>
      {({ id }) => (
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
      )}
    </FieldFrame>
  );
}
