import { FieldFrame } from './field-frame.js';
import type { Form } from '../forms/use-form.js';

export interface TextAreaProps<Name extends string> {
  form: Form<Name>;
  name: Name;
  label: string;
  rows?: number;
  hint?: string | undefined;
}

/** A field of several lines, which grows with its text. */
export function TextArea<Name extends string>({ form, name, label, rows = 5, hint }: TextAreaProps<Name>) {
  return (
    <FieldFrame label={label} hint={hint} fault={form.faultOf(name)}>
      {attributes => (
        <textarea
          {...attributes}
          name={name}
          rows={rows}
          style={{ minBlockSize: `calc(${rows} * 1lh + 2 * var(--space-2))` }}
          dir="auto"
          value={form.values[name]}
          aria-required={form.isRequired(name)}
          onInput={event => form.change(name, event.currentTarget.value)}
        />
      )}
    </FieldFrame>
  );
}
