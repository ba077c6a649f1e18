import { FieldFrame } from './field-frame.js';

export interface SelectOption<Value extends string> {
  value: Value;
  name: string;
}

/** Options below a heading. */
export interface SelectGroup<Value extends string> {
  name: string;
  options: readonly SelectOption<Value>[];
}

export interface SelectProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly (SelectOption<Value> | SelectGroup<Value>)[];
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
          {options.map(option =>
            'options' in option ? (
              <optgroup key={option.name} label={option.name}>
                {option.options.map(each => optionOf(each, value))}
              </optgroup>
            ) : (
              optionOf(option, value)
            ),
          )}
        </select>
      )}
    </FieldFrame>
  );
}

function optionOf<Value extends string>({ value, name }: SelectOption<Value>, chosen: Value) {
  return (
    <option key={value} value={value} selected={value === chosen}>
      {name}
    </option>
  );
}
