import { useId, useState } from 'preact/hooks';
import type { Form } from '../forms/use-form.js';
import { t } from '../texts/index.js';

export interface FieldProps<Name extends string> {
  form: Form<Name>;
  name: Name;
  label: string;
  type?: 'text' | 'email' | 'password' | 'url' | 'date' | 'datetime-local' | 'number';
  /** For password managers: `username`, `current-password`, `new-password`, `name`. Default `off`. */
  autocomplete?: string;
  hint?: string | undefined;
  autofocus?: boolean;
}

/** A field with its label, hint and error. A password can be made readable. */
export function Field<Name extends string>(props: FieldProps<Name>) {
  const { form, name, label, type = 'text', autocomplete = 'off', hint, autofocus = false } = props;
  const [isReadable, setReadable] = useState(false);
  const id = useId();
  // Preact's types know an input of one type only
  const shownType = (isReadable ? 'text' : type) as 'text';
  const fault = form.faultOf(name);
  const described = [fault && `${id}-fault`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="box">
        <input
          id={id}
          name={name}
          type={shownType}
          value={form.values[name]}
          autocomplete={autocomplete}
          autofocus={autofocus}
          autocapitalize={autocomplete === 'name' ? 'words' : 'none'}
          spellcheck={false}
          dir={type === 'text' ? 'auto' : 'ltr'}
          aria-required={form.isRequired(name)}
          aria-invalid={fault ? 'true' : undefined}
          aria-describedby={described || undefined}
          onInput={event => form.change(name, event.currentTarget.value)}
        />
        {type === 'password' && <Reveal isReadable={isReadable} onClick={() => setReadable(!isReadable)} />}
      </div>
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function Reveal({ isReadable, onClick }: { isReadable: boolean; onClick: () => void }) {
  const name = t(isReadable ? 'hidePassword' : 'showPassword');
  return (
    <button class="reveal" type="button" aria-label={name} title={name} onClick={onClick}>
      <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
        <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 15a3 3 0 100-6 3 3 0 000 6z" />
        {isReadable && <path d="M4 4l16 16" />}
      </svg>
    </button>
  );
}
