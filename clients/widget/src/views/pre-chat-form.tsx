import type { PreChatAnswers, PreChatField } from '@support-chat/sdk';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { MessageKey } from '../messages.js';
import { useChat } from './use-chat.js';

/** The questions of the company before the first message is sent. */
export function PreChatForm(): VNode {
  const chat = useChat();
  const { text } = chat.translator;
  const { fields } = chat.config.pre_chat_form;
  const [errors, setErrors] = useState<Record<string, MessageKey>>({});
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const { elements } = event.currentTarget as HTMLFormElement;
    const inputs = fields.map(({ key }) => elements.namedItem(key) as HTMLInputElement);
    const wrong = inputs.filter(({ validity }) => !validity.valid);
    setErrors(Object.fromEntries(wrong.map(input => [input.name, explain(input)])));
    wrong[0]?.focus();
    if (wrong.length === 0) chat.submitForm(readAnswers(inputs));
  };
  return (
    <form class="card" noValidate onSubmit={submit}>
      <h3>{text('formTitle')}</h3>
      {fields.map(field => (
        <Field key={field.key} field={field} error={errors[field.key]} />
      ))}
      <button class="primary">{text('formSend')}</button>
    </form>
  );
}

function explain({ validity }: HTMLInputElement): MessageKey {
  return validity.valueMissing ? 'fieldMissing' : 'emailInvalid';
}

function readAnswers(inputs: HTMLInputElement[]): PreChatAnswers {
  const answers = inputs.map(({ name, type, checked, value }) => [name, type === 'checkbox' ? checked : value.trim()]);
  return Object.fromEntries(answers.filter(([, answer]) => answer !== '')) as PreChatAnswers;
}

const AUTOCOMPLETE: Record<string, string> = { name: 'name', email: 'email', phone: 'tel' };

function Field({ field, error }: { field: PreChatField; error: MessageKey | undefined }): VNode {
  const { translator, contact } = useChat();
  const { text } = translator;
  const { key, label, type, required, options = [] } = field;
  const common = {
    id: `field-${key}`,
    name: key,
    required,
    autocomplete: AUTOCOMPLETE[key] ?? 'off',
    'aria-invalid': !!error,
    'aria-describedby': `error-${key}`,
  };
  const known = key === 'name' || key === 'email' || key === 'phone' ? (contact?.[key] ?? '') : '';
  return (
    <div class={`field ${type}`}>
      <label for={common.id} dir="auto">
        {required ? label : text('optional', { label })}
      </label>
      {type === 'textarea' && <textarea {...common} rows={3} maxLength={2000} />}
      {type === 'checkbox' && <input {...common} type="checkbox" />}
      {type === 'select' && (
        <select {...common}>
          <option value="">{text('choose')}</option>
          {options.map(option => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
      {(type === 'text' || type === 'email' || type === 'phone') && (
        <input {...common} type={(type === 'phone' ? 'tel' : type) as 'email'} maxLength={2000} defaultValue={known} />
      )}
      <small class="error" id={`error-${key}`}>
        {error && text(error)}
      </small>
    </div>
  );
}
