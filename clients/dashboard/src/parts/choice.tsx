export interface ChoiceProps<Value extends string> {
  label: string;
  /** Name of the group of radio buttons, unique on the page. */
  name: string;
  value: Value;
  options: readonly { value: Value; name: string }[];
  onChange(value: Value): void;
}

/** A choice of one among two or three that are all visible. */
export function Choice<Value extends string>({ label, name, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <fieldset class="choice">
      <legend class="unseen">{label}</legend>
      {options.map(option => (
        <label key={option.value}>
          <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
          <span>{option.name}</span>
        </label>
      ))}
    </fieldset>
  );
}
