import { useRef, useState } from 'preact/hooks';
import type { Values } from '@support-chat/ui/translator.js';
import { formats, t, type TextKey } from '../texts/index.js';
import { formDrafts } from './form-drafts.js';
import { readFailure, type Failure, type FailureTexts } from './failure.js';

/** A form whose values survive every error. */
export interface Form<Field extends string> {
  readonly values: Readonly<Record<Field, string>>;
  /** Text below each faulty field. */
  faultOf(name: Field): string | undefined;
  /** Text above the form. */
  readonly failure: string | undefined;
  readonly isSending: boolean;
  /** True if a value differs from the initial one. */
  readonly isChanged: boolean;
  isRequired(name: Field): boolean;
  change(name: Field, value: string): void;
  submit(event: Event): void;
  /** Back to the initial values. */
  reset(): void;
}

export interface FormOptions<Field extends string, Key extends string = TextKey> {
  initial: Record<Field, string>;
  texts: FailureTexts<Field, Key>;
  /** Fields that may be empty. */
  optional?: readonly Field[];
  /** Translates the keys of `texts`. Default: the common texts. */
  translate?: (key: Key | TextKey, values?: Values) => string;
  /** Keeps unsaved values under this name while the page is open. Not for passwords. */
  draft?: string;
  /** Faults that need no request, by field. */
  check?: (values: Readonly<Record<Field, string>>) => Partial<Record<Field, Key | TextKey>>;
  send(values: Record<Field, string>): Promise<void>;
}

/**
 * State of a form. Empty required fields are refused without a request; other faults come from the service. After a
 * fault the first faulty field has the focus.
 */
export function useForm<Field extends string, Key extends string = TextKey>(
  options: FormOptions<Field, Key>,
): Form<Field> {
  const { initial, texts, optional = [], translate = t as (key: string, values?: Values) => string, draft } = options;
  const [values, setValues] = useState<Record<Field, string>>(() => ({
    ...initial,
    ...(draft === undefined ? {} : formDrafts.get(draft)),
  }));
  const [failure, setFailure] = useState<Failure<Field, Key>>({ fields: {} });
  const [isSending, setSending] = useState(false);
  const sending = useRef(false);
  const names = Object.keys(initial) as Field[];
  const isRequired = (name: Field) => !optional.includes(name);

  const refuse = (refused: Failure<Field, Key>, form: HTMLFormElement) => {
    setFailure(refused);
    const first = names.find(name => refused.fields[name]);
    if (first) form.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
  };
  const forget = () => {
    if (draft !== undefined) formDrafts.delete(draft);
  };
  const run = async (form: HTMLFormElement) => {
    const empty = names.filter(name => isRequired(name) && values[name].trim() === '');
    const missing = Object.fromEntries(empty.map(name => [name, texts.fields[name]]));
    const fields = { ...options.check?.(values), ...missing } as Failure<Field, Key>['fields'];
    if (Object.keys(fields).length > 0) return refuse({ fields }, form);
    sending.current = true;
    setSending(true);
    setFailure({ fields: {} });
    try {
      await options.send(values);
      forget();
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
    isRequired,
    isChanged: names.some(name => values[name].trim() !== initial[name].trim()),
    failure: failure.form && translate(failure.form.key, failure.form.values),
    faultOf: name => failure.fields[name] && translate(failure.fields[name]),
    change: (name, value) => {
      if (draft !== undefined)
        formDrafts.change(draft, initial, { ...values, ...formDrafts.get(draft), [name]: value });
      setValues(present => ({ ...present, [name]: value }));
      setFailure(({ fields: { [name]: _mended, ...rest }, ...present }) => ({
        ...present,
        fields: rest as Failure<Field, Key>['fields'],
      }));
    },
    submit: event => {
      event.preventDefault();
      if (!sending.current) void run(event.currentTarget as HTMLFormElement);
    },
    reset: () => {
      forget();
      setValues(initial);
      setFailure({ fields: {} });
    },
  };
}
