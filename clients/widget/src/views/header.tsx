import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '@support-chat/ui/icons.jsx';
import { endChat, mailTranscript } from '../actions.js';
import type { ChatController } from '../chat.js';
import { Avatar } from './avatar.jsx';
import { openingText } from './opening.js';
import { useChat } from './use-chat.js';

/** Title, the faces of those who are there, and one line that says what to expect. */
export function Header(): VNode {
  const chat = useChat();
  const { route, shell, config, translator } = chat;
  const { text } = translator;
  const isHome = route.name === 'home';
  const hasHistory = chat.state.threads.size > 0 || isHome;
  return (
    <div class={isHome ? 'head tall' : 'head'}>
      {!isHome && hasHistory && (
        <button class="icon-button" aria-label={text('back')} onClick={() => chat.show({ name: 'home' })}>
          <Icon name="back" />
        </button>
      )}
      <Faces />
      <div class="titles">
        <h2 dir="auto">{config.title || text('chat')}</h2>
        <p>{statusLine(chat)}</p>
      </div>
      <Menu />
      {shell.mode === 'bubble' && (
        <button class="icon-button" aria-label={text('close')} onClick={() => shell.close()}>
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}

function Faces(): VNode | null {
  const { thread, config } = useChat();
  const people = new Map<string, VNode>();
  for (const { sender_type, sender_name, sender_avatar_url, metadata } of [...(thread?.messages ?? [])].reverse()) {
    if (sender_type === 'contact' || !sender_name || metadata['auto'] || metadata['event'] || people.size > 2) continue;
    if (people.has(sender_name)) continue;
    people.set(sender_name, <Avatar name={sender_name} url={sender_avatar_url} isBot={sender_type === 'bot'} />);
  }
  if (people.size > 0) return <div class="faces">{[...people.values()]}</div>;
  return config.theme.logo_url ? <img class="logo" src={config.theme.logo_url} alt="" /> : null;
}

/** The truth in one line: who answers, or when somebody does. */
function statusLine({ thread, config, translator }: ChatController): string {
  const { text } = translator;
  const { availability } = config;
  if (thread && thread.view.status !== 'resolved') {
    const last = thread.messages.filter(each => each.sender_type !== 'contact' && each.content_type !== 'event').at(-1);
    if (thread.view.assignee) return text('withPerson', { name: thread.view.assignee.name });
    if (last?.sender_type === 'bot' && !last.metadata['auto'] && thread.view.status === 'pending')
      return text('withBot');
  }
  if (!availability.within_business_hours) return openingText(availability.next_open_at, translator);
  if (availability.typical_reply_seconds !== null) {
    return text('replyTime', { time: translator.duration(availability.typical_reply_seconds) });
  }
  return availability.online ? text('online') : text('offline');
}

/** Actions on the chat besides writing. */
function Menu(): VNode | null {
  const chat = useChat();
  const { text } = chat.translator;
  const [isOpen, setOpen] = useState(false);
  const { features } = chat.config;
  const view = chat.thread?.view;
  const act = (action: () => Promise<void> | void) => () => {
    setOpen(false);
    void chat.perform(action);
  };
  if (!view) return null;
  return (
    <div
      class="menu"
      onKeyDown={event => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.preventDefault();
        setOpen(false);
      }}
      onFocusOut={event => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOpen(false);
      }}
    >
      <button class="icon-button" aria-label={text('menu')} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="more" />
      </button>
      {isOpen && (
        <ul>
          <li>
            <button onClick={act(() => chat.sound.toggle())}>{text(chat.sound.isMuted ? 'unmute' : 'mute')}</button>
          </li>
          {features.transcript && (
            <li>
              <button onClick={act(() => mailTranscript(chat, view.id))}>{text('mailTranscript')}</button>
            </li>
          )}
          {features.end_chat && view.status !== 'resolved' && (
            <li>
              <button onClick={act(() => endChat(chat, view.id))}>{text('endChat')}</button>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
