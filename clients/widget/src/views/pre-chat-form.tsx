import type { PreChatAnswers, PreChatField } from '@support-chat/sdk';
import { Component, type VNode } from 'preact';
import type { ChatController } from '../chat.js';
import type { MessageKey } from '../messages.js';
import type { ViewProps } from './view-props.js';
import { inputOf } from './input-of.js';

const AUTOCOMPLETE: Record<string, string> = { name: 'name', email: 'email', phone: 'tel' };

/** The questions of the company before the first message is sent. */
export class PreChatForm extends Component<ViewProps, Record<string, MessageKey | undefined>> {
  override render({ chat }: ViewProps): VNode {
    const { text } = chat;
    const { fields } = chat.config.pre_chat_form;
    const submit = (event: SubmitEvent): void => {
      const inputs = fields.map(({ key }) => inputOf(event, key));
      const wrong = inputs.filter(({ validity }) => !validity.valid);
      this.setState(Object.fromEntries(inputs.map(input => [input.name, explain(input)])));
      wrong[0]?.focus();
      if (wrong.length === 0) chat.submitForm(readAnswers(inputs));
    };
    return (
      <form class="card" noValidate onSubmit={submit}>
        <h3>{text('formTitle')}</h3>
        {fields.map(field => renderField(chat, field, this.state[field.key]))}
        <button class="primary">{text('formSend')}</button>
      </form>
    );
  }
}

function explain({ validity }: HTMLInputElement): MessageKey | undefined {
  if (validity.valid) return undefined;
  return validity.valueMissing ? 'fieldMissing' : 'emailInvalid';
}

function readAnswers(inputs: HTMLInputElement[]): PreChatAnswers {
  const answers = inputs.map(({ name, type, checked, value }) => [name, type === 'checkbox' ? checked : value.trim()]);
  return Object.fromEntries(answers.filter(([, answer]) => answer !== '')) as PreChatAnswers;
}

function renderField(
  { text, contact }: ChatController,
  { key, label, type, required, options = [] }: PreChatField,
  error: MessageKey | undefined,
): VNode {
  const common = {
    id: `field-${key}`,
    name: key,
    required,
    autocomplete: AUTOCOMPLETE[key] ?? 'off',
    'aria-invalid': !!error,
    'aria-describedby': `error-${key}`,
  };
  return (
    <div key={key} class={`field ${type}`}>
      <label for={common.id} dir="auto">
        {required ? label : text('optional', { label })}
      </label>
      {type === 'textarea' ? (
        <textarea {...common} rows={3} maxLength={2000} />
      ) : type === 'select' ? (
        <select {...common}>
          <option value="">{text('choose')}</option>
          {options.map(option => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          type={(type === 'phone' ? 'tel' : type) as 'email'}
          maxLength={2000}
          defaultValue={type === 'checkbox' ? undefined : (contact?.[key as keyof typeof AUTOCOMPLETE & 'email'] ?? '')}
        />
      )}
      <small class="error" id={`error-${key}`}>
        {error && text(error)}
      </small>
    </div>
  );
}
