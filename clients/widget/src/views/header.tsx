import { BACK, CLOSE, MORE } from '@support-chat/ui/icons.jsx';
import { Component, type VNode } from 'preact';
import { endChat, mailTranscript } from '../actions.js';
import type { ChatController } from '../chat.js';
import type { ViewProps } from './view-props.js';
import { avatar } from './avatar.jsx';
import { iconButton } from './icon-button.jsx';
import { openingText } from './opening.js';

/** Title, the faces of those who are there, and one line that says what to expect. */
export function Header({ chat }: ViewProps): VNode {
  const { route, shell, config, text } = chat;
  const hasBack = route.name !== 'home' && chat.state.threads.size > 0;
  return (
    <div class="head">
      {hasBack && iconButton(BACK, text('back'), () => chat.show({ name: 'home' }))}
      {renderFaces(chat)}
      <div class="titles">
        <h2 dir="auto">{config.title || text('chat')}</h2>
        <p>{statusLine(chat)}</p>
      </div>
      {chat.thread && <Menu chat={chat} />}
      {shell.mode === 'bubble' && iconButton(CLOSE, text('close'), () => shell.close())}
    </div>
  );
}

/** Shows the last three who have answered. */
function renderFaces({ thread, config }: ChatController): VNode | null {
  const people = new Map<string, VNode>();
  for (const { sender_type, sender_name, sender_avatar_url, metadata } of thread?.received.reverse() ?? []) {
    if (!sender_name || metadata['auto'] || people.size > 2 || people.has(sender_name)) continue;
    people.set(sender_name, avatar(sender_name, sender_avatar_url, sender_type === 'bot'));
  }
  if (people.size > 0) return <div class="faces">{[...people.values()]}</div>;
  return config.theme.logo_url ? <img class="logo" src={config.theme.logo_url} alt="" /> : null;
}

/** The truth in one line: who answers, or when somebody does. */
function statusLine({ thread, config, translator, text }: ChatController): string {
  const { within_business_hours, next_open_at, typical_reply_seconds, online } = config.availability;
  if (thread && thread.view.status !== 'resolved') {
    const last = thread.received.at(-1);
    const { assignee, status } = thread.view;
    if (assignee) return text('withPerson', { name: assignee.name });
    if (last?.sender_type === 'bot' && !last.metadata['auto'] && status === 'pending') return text('withBot');
  }
  if (!within_business_hours) return openingText(next_open_at, translator);
  if (typical_reply_seconds !== null) return text('replyTime', { time: translator.duration(typical_reply_seconds) });
  return text(online ? 'online' : 'offline');
}

/** Actions on the chat besides writing. */
class Menu extends Component<ViewProps, { isOpen?: boolean }> {
  private button: HTMLElement | null = null;

  private readonly setButton = (button: HTMLElement | null): void => void (this.button = button);

  override render({ chat }: ViewProps): VNode {
    const { text, config, sound } = chat;
    const { id, status } = chat.thread!.view;
    const { isOpen } = this.state;
    const toggle = (isShown: boolean): void => this.setState({ isOpen: isShown });
    const close = (): void => {
      toggle(false);
      this.button?.focus();
    };
    const item = (name: Parameters<typeof text>[0], action: () => Promise<void> | void): VNode => (
      <li>
        <button
          onClick={() => {
            close();
            void chat.perform(action);
          }}
        >
          {text(name)}
        </button>
      </li>
    );
    return (
      <div
        class="menu"
        onKeyDown={event => {
          if (event.key !== 'Escape' || !isOpen) return;
          event.preventDefault();
          close();
        }}
        onFocusOut={event => {
          if (!event.currentTarget.contains(event.relatedTarget as Node | null)) toggle(false);
        }}
      >
        {iconButton(MORE, text('menu'), () => toggle(!isOpen), {
          ref: this.setButton,
          'aria-expanded': !!isOpen,
        })}
        {isOpen && (
          <ul>
            {item(sound.isMuted ? 'unmute' : 'mute', () => sound.toggle())}
            {config.features.transcript && item('mailTranscript', () => mailTranscript(chat, id))}
            {config.features.end_chat && status !== 'resolved' && item('endChat', () => endChat(chat, id))}
          </ul>
        )}
      </div>
    );
  }
}
