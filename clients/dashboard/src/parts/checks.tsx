export interface ChecksProps {
  label: string;
  options: readonly { value: string; name: string; hint?: string }[];
  chosen: readonly string[];
  onChange(chosen: string[]): void;
}

/** A choice of any number among several. */
export function Checks({ label, options, chosen, onChange }: ChecksProps) {
  const toggle = (value: string, isChosen: boolean) =>
    onChange(options.map(option => option.value).filter(each => (each === value ? isChosen : chosen.includes(each))));
  return (
    <fieldset class="checks">
      <legend>{label}</legend>
      {options.map(({ value, name, hint }) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={event => toggle(value, event.currentTarget.checked)}
          />
          <span>
            {name}
            {hint && <small>{hint}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
