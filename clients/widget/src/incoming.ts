import type { VisitorClient, VisitorMessageView } from '@support-chat/sdk';
import { announce } from './announce.js';
import type { ChatCore } from './chat-core.js';
import type { VisitorFrame } from './state/chat-state.js';
import { eventText } from './views/entries.js';

/** Reads the present state after the first connection, and after each that may have missed frames. */
export async function synchronize(chat: ChatCore, client: VisitorClient): Promise<void> {
  const { state } = chat;
  const mark = state.mark();
  const [{ items }, contact] = await Promise.all([client.conversations({ limit: 20 }), client.contact()]);
  for (const view of items) state.applyConversation(view, mark);
  // Another visitor has taken over meanwhile.
  if (state !== chat.state) return;
  chat.contact = contact;
  const shown = chat.conversationId;
  // The others are read again when they are shown.
  for (const id of state.threads.keys()) if (id !== shown) state.forgetMessages(id);
  if (shown) await chat.loader.load(shown, true);
  else continueOpenConversation(chat);
  if (chat.conversationId && chat.loader.failed.has(chat.conversationId)) throw new Error('No messages');
  void chat.outbox.drain();
  chat.changed();
}

/** A visitor who comes back sees the conversation that goes on, unless something has been written for a new one. */
function continueOpenConversation(chat: ChatCore): void {
  const open = chat.state.list.filter(({ view }) => view.status !== 'resolved');
  const isUntouched = chat.route.name === 'home' && !chat.draft && chat.outbox.items.length === 0;
  if (isUntouched && open.length === 1 && open[0]) chat.show({ name: 'thread', id: open[0].view.id });
}

/** Shows the conversation of messages that this tab has shown as the first of a new one, once another tab has sent them. */
export function followFirstMessage(chat: ChatCore): void {
  if (chat.route.name !== 'thread' || chat.route.id) return void (chat.firstIds = []);
  const waiting = chat.outbox.first.map(({ id }) => id);
  const sent = chat.firstIds.filter(id => !waiting.includes(id));
  const thread = chat.state.list.find(({ messages }) =>
    messages.some(({ client_message_id }) => client_message_id && sent.includes(client_message_id)),
  );
  chat.firstIds = [...sent, ...waiting];
  if (thread) chat.follow(null, thread.view.id);
}

export function receive(chat: ChatCore, frame: VisitorFrame): void {
  const message = chat.state.applyFrame(frame);
  if (message) handleMessage(chat, message);
  if (chat.state.isBehind(frame)) chat.connection.refresh();
  if (frame.type === 'typing') setTimeout(() => chat.changed(), frame.data.expires_in_ms + 50);
  chat.changed();
}

function handleMessage(chat: ChatCore, message: VisitorMessageView): void {
  const { conversation_id, id, content, sender_type, content_type } = message;
  if (!chat.state.threads.has(conversation_id)) void chat.loader.load(conversation_id);
  if (content_type === 'event') return announce(chat, chat.text(eventText(message.metadata['event'])));
  if (sender_type === 'contact') return;
  const sender = message.sender_name ?? chat.config.title;
  const text = content ?? message.attachments.map(({ name }) => name).join(', ');
  announce(chat, chat.text('received', { name: sender, text }));
  chat.shell.emit('message', { conversationId: conversation_id, id, text, sender });
  void chat.sound.play(message.created_at);
}
