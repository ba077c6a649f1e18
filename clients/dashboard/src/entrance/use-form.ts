import { useRef, useState } from 'preact/hooks';
import { formats, t } from '../texts/index.js';
import { readFailure, type Failure, type FailureTexts } from './failure.js';

/** A form whose values survive every error. */
export interface Form<Field extends string> {
  readonly values: Readonly<Record<Field, string>>;
  /** Text below each faulty field. */
  faultOf(name: Field): string | undefined;
  /** Text above the form. */
  readonly failure: string | undefined;
  readonly isSending: boolean;
  change(name: Field, value: string): void;
  submit(event: Event): void;
}

export interface FormOptions<Field extends string> {
  initial: Record<Field, string>;
  texts: FailureTexts<Field>;
  send(values: Record<Field, string>): Promise<void>;
}

/**
 * State of a form. Empty fields are refused without a request; other faults come from the service. After a fault the
 * first faulty field has the focus.
 */
export function useForm<Field extends string>({ initial, texts, send }: FormOptions<Field>): Form<Field> {
  const [values, setValues] = useState(initial);
  const [failure, setFailure] = useState<Failure<Field>>({ fields: {} });
  const [isSending, setSending] = useState(false);
  const sending = useRef(false);

  const refuse = (refused: Failure<Field>, form: HTMLFormElement) => {
    setFailure(refused);
    const first = (Object.keys(initial) as Field[]).find(name => refused.fields[name]);
    if (first) form.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
  };
  const run = async (form: HTMLFormElement) => {
    const empty = (Object.keys(initial) as Field[]).filter(name => values[name].trim() === '');
    if (empty.length > 0) {
      const fields = Object.fromEntries(empty.map(name => [name, texts.fields[name]])) as Failure<Field>['fields'];
      return refuse({ fields }, form);
    }
    sending.current = true;
    setSending(true);
    setFailure({ fields: {} });
    try {
      await send(values);
    } catch (error) {
      refuse(readFailure(error, texts, formats().duration), form);
    } finally {
      sending.current = false;
      setSending(false);
    }
  };
  return {
    values,
    isSending,
    failure: failure.form && t(failure.form.key, failure.form.values),
    faultOf: name => failure.fields[name] && t(failure.fields[name]),
    change: (name, value) => {
      setValues(present => ({ ...present, [name]: value }));
      setFailure(({ fields: { [name]: _mended, ...rest }, ...present }) => ({
        ...present,
        fields: rest as Failure<Field>['fields'],
      }));
    },
    submit: event => {
      event.preventDefault();
      if (!sending.current) void run(event.currentTarget as HTMLFormElement);
    },
  };
}
