import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { saveEmail } from '../actions.js';
import { useChat } from './use-chat.js';

/** Asks for an address, because nobody is there or the transcript goes to it. */
export function EmailCard(): VNode {
  const chat = useChat();
  const { text } = chat.translator;
  const [isInvalid, setInvalid] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const input = (event.currentTarget as HTMLFormElement).elements.namedItem('email') as HTMLInputElement;
    const isValid = input.value.trim() !== '' && input.validity.valid;
    setInvalid(!isValid);
    if (isValid) void chat.perform(() => saveEmail(chat, input.value.trim()));
    else input.focus();
  };
  return (
    <form class="card" noValidate onSubmit={submit}>
      <label for="email">{text(chat.asksForEmail ? 'emailAsk' : 'emailCard')}</label>
      <div class="row">
        <input
          id="email"
          name="email"
          type="email"
          autocomplete="email"
          maxLength={254}
          placeholder={text('email')}
          aria-invalid={isInvalid}
          aria-describedby="email-error"
        />
        <button class="primary">{text('save')}</button>
      </div>
      <small class="error" id="email-error" role="alert">
        {isInvalid && text('emailInvalid')}
      </small>
    </form>
  );
}
