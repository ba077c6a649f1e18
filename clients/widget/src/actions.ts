import type { ApiError } from '@support-chat/sdk';
import type { ChatController } from './chat.js';

// Actions of a visitor on a conversation. They throw what the service refuses, for `ChatController.perform`.

export async function endChat(chat: ChatController, id: string): Promise<void> {
  chat.state.applyConversation(await (await chat.connection.client()).resolve(id));
}

/** @param score 1 to 5 */
export async function rate(chat: ChatController, id: string, score: number, comment: string): Promise<void> {
  const client = await chat.connection.client();
  chat.state.applyConversation(await client.rate(id, comment ? { score, comment } : { score }));
}

/** Sends the transcript to the visitor's address, and asks for one if there is none. */
export async function mailTranscript(chat: ChatController, id: string): Promise<void> {
  try {
    await (await chat.connection.client()).mailTranscript(id);
    chat.notice = 'transcriptSent';
  } catch (error) {
    const { code } = error as Partial<ApiError>;
    if (code === 'email_missing') chat.asksForEmail = true;
    else if (code === 'transcript_not_ready') chat.notice = 'transcriptEarly';
    else throw error;
  }
}

export async function saveEmail(chat: ChatController, email: string): Promise<void> {
  chat.contact = await (await chat.connection.client()).updateContact({ email });
  chat.storage.set('email', email);
  if (chat.asksForEmail && chat.thread) await mailTranscript(chat, chat.thread.view.id);
  chat.asksForEmail = false;
}
