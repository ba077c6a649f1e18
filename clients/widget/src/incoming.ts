import type { VisitorClient, VisitorMessageView } from '@support-chat/sdk';
import type { ChatController } from './chat.js';
import type { VisitorFrame } from './state/chat-state.js';

/** Reads the present state after the first connection, and after each that may have missed frames. */
export async function synchronize(chat: ChatController, client: VisitorClient): Promise<void> {
  const { state } = chat;
  const mark = state.mark();
  const [{ items }, contact] = await Promise.all([client.conversations({ limit: 20 }), client.contact()]);
  for (const view of items) state.applyConversation(view, mark);
  // Another visitor has taken over meanwhile.
  if (state !== chat.state) return;
  chat.contact = contact;
  if (chat.conversationId) await chat.loader.load(chat.conversationId, true);
  else continueOpenConversation(chat);
  void chat.outbox.drain();
  chat.changed();
}

/** A visitor who comes back sees the conversation that goes on, unless something has been written for a new one. */
function continueOpenConversation(chat: ChatController): void {
  const open = chat.state.list.filter(({ view }) => view.status !== 'resolved');
  const isUntouched = chat.route.name === 'home' && !chat.draft && chat.outbox.items.length === 0;
  if (isUntouched && open.length === 1 && open[0]) chat.show({ name: 'thread', id: open[0].view.id });
}

export function receive(chat: ChatController, frame: VisitorFrame): void {
  const message = chat.state.applyFrame(frame);
  if (message) handleMessage(chat, message);
  if (frame.type === 'typing') setTimeout(() => chat.changed(), frame.data.expires_in_ms + 50);
  chat.changed();
}

function handleMessage(chat: ChatController, message: VisitorMessageView): void {
  const { conversation_id, id, content, sender_type, content_type } = message;
  if (!chat.state.threads.has(conversation_id)) void chat.loader.load(conversation_id);
  if (sender_type === 'contact' || content_type === 'event') return;
  const sender = message.sender_name ?? chat.config.title;
  const text = content ?? message.attachments.map(({ name }) => name).join(', ');
  chat.announcement = chat.translator.text('received', { name: sender, text });
  chat.shell.emit('message', { conversationId: conversation_id, id, text, sender });
  void chat.sound.play(message.created_at);
}
