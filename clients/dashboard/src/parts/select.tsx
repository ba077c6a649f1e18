import { FieldFrame } from './field-frame.js';

export interface SelectOption<Value extends string> {
  value: Value;
  name: string;
}

export interface SelectProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly SelectOption<Value>[];
  name?: string;
  hint?: string | undefined;
  fault?: string | undefined;
  autofocus?: boolean;
  onChange(value: Value): void;
}

/** A choice of one among several, as the platform shows it. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, value, options, name, hint, fault, autofocus = false, onChange } = props;
  return (
    <FieldFrame label={label} hint={hint} fault={fault}>
      {attributes => (
        <select
          {...attributes}
          name={name}
          value={value}
          autofocus={autofocus}
          onChange={event => onChange(event.currentTarget.value as Value)}
        >
          {options.map(option => (
            <option key={option.value} value={option.value} selected={option.value === value}>
              {option.name}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}
