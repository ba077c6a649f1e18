import { Component, type VNode } from 'preact';
import { saveEmail } from '../actions.js';
import type { ChatController } from '../chat.js';
import type { ViewProps } from './view-props.js';
import { inputOf } from './input-of.js';

/** No address is known, and the transcript needs one, or the answer to a first message while all agents are away. */
export function asksForEmail({ asksForEmail, thread, config, contact, storage }: ChatController): boolean {
  if (asksForEmail || !thread || thread.view.status === 'resolved') return asksForEmail;
  const { online, within_business_hours } = config.availability;
  const hasAnswer = thread.messages.some(({ sender_type }) => sender_type === 'agent');
  return !(online && within_business_hours) && !hasAnswer && !contact?.email && !storage.get('email');
}

/** Asks for an address for the transcript, or for the answer while all agents are away. */
export class EmailCard extends Component<ViewProps, { isInvalid?: boolean }> {
  override render({ chat }: ViewProps): VNode {
    const { text } = chat;
    const { isInvalid } = this.state;
    const submit = (event: SubmitEvent): void => {
      const input = inputOf(event, 'email');
      const email = input.value.trim();
      const isValid = email !== '' && input.validity.valid;
      this.setState({ isInvalid: !isValid });
      if (isValid) void chat.perform(() => saveEmail(chat, email));
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
            aria-invalid={!!isInvalid}
            aria-describedby="error-email"
          />
          <button class="primary">{text('save')}</button>
        </div>
        <small class="error" id="error-email" role="alert">
          {isInvalid && text('emailInvalid')}
        </small>
      </form>
    );
  }
}
