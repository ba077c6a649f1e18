import type { ApiError, VisitorClient, VisitorMessageBody, VisitorMessageView } from '@support-chat/sdk';
import type { ChatCore } from './chat-core.js';
import { UNKNOWN_AGE } from './state/chat-state.js';
import { Outbox, type OutboxItem } from './state/outbox.js';
import { ReadMarks } from './state/read-marks.js';

/** The outbox of the chat: sends to the service, in one tab at a time. */
export function openOutbox(chat: ChatCore): Outbox {
  const key = chat.storage.key('outbox');
  return new Outbox({
    storage: chat.shell.storage,
    prefix: `${key}:`,
    send: item => deliver(chat, item),
    exclusive: async work => {
      // Only pages of a secure origin have locks; without them each tab sends what it has. Never runs beside another tab
      // that takes long, unlike `inOneTab`: two at once would change the order.
      if (navigator.locks as LockManager | undefined) await navigator.locks.request(key, work);
      else await work();
    },
    changed: () => chat.changed(),
    moved: (from, to) => chat.follow(from, to),
  });
}

/** Reports how far the visitor has read: up to the newest message of the conversation, while it is in view. */
export function openReadMarks(chat: ChatCore): ReadMarks {
  return new ReadMarks({
    inView() {
      const view = chat.thread?.view;
      const isInView = view?.unread.contact && chat.isOpen && document.visibilityState === 'visible';
      return isInView ? { id: view.id, seq: view.last_seq } : undefined;
    },
    mark(id) {
      chat.state.markRead(id);
      chat.changed();
    },
    send: async ({ id, seq }) => (await chat.connection.client()).read(id, seq),
  });
}

/** @returns id of the conversation that has the message */
async function deliver({ state, connection, outbox, loader }: ChatCore, item: OutboxItem): Promise<string> {
  const client = await connection.client();
  // Another session may have begun meanwhile, without the conversation.
  Object.assign(
    item,
    outbox.items.find(({ id }) => id === item.id),
  );
  if (item.needsAnswers) throw new Error('waits for answers');
  const message = {
    client_message_id: item.id,
    ...(item.content && { content: item.content }),
    ...(item.attachments.length && { attachment_ids: item.attachments.map(({ id }) => id) }),
  };
  const sent = item.conversationId ? await sendTo(client, item.conversationId, message) : undefined;
  if (!sent) {
    const { conversation, message: first } = await client.startConversation(message, item.preChat);
    const thread = state.applyConversation(conversation);
    if (first.seq === 1) {
      thread.older ??= null;
      // an earlier call may have sent it, and others may have answered since
      if (conversation.last_seq > 1) void loader.load(conversation.id, true);
    }
    thread.merge(first);
    return conversation.id;
  }
  const id = sent.conversation_id;
  if (!state.threads.has(id)) state.applyConversation(await client.conversation(id), UNKNOWN_AGE);
  state.threads.get(id)?.merge(sent);
  return id;
}

/** @returns undefined if the visitor no longer has the conversation */
async function sendTo(
  client: VisitorClient,
  id: string,
  message: VisitorMessageBody,
): Promise<VisitorMessageView | undefined> {
  try {
    return await client.send(id, message);
  } catch (error) {
    if ((error as Partial<ApiError>).status === 404) return undefined;
    throw error;
  }
}
