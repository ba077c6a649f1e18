import { useId } from 'preact/hooks';

export interface SwitchProps {
  label: string;
  /** The effect of the setting. */
  hint?: string | undefined;
  isOn: boolean;
  onChange(isOn: boolean): void;
}

/** A setting that is on or off, and takes effect at once. */
export function Switch({ label, hint, isOn, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div class="switch">
      <div class="words">
        <label for={id}>{label}</label>
        {hint && (
          <p class="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={isOn}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={event => {
          const { checked } = event.currentTarget;
          // the owner decides, and may refuse
          event.currentTarget.checked = isOn;
          onChange(checked);
        }}
      />
    </div>
  );
}
