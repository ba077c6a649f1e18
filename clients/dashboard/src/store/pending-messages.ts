import type { ReadonlySignal } from '@preact/signals';
import type { AgentMessageBody, AttachmentView, MessageView } from '@support-chat/sdk';
import { SignalMap } from './signal-map.js';

/** A message of the member that the service has not confirmed. */
export interface PendingMessage {
  readonly conversationId: string;
  readonly body: AgentMessageBody & { client_message_id: string };
  readonly attachments: readonly AttachmentView[];
  /** In wire format, by the clock of this computer. */
  readonly createdAt: string;
  /** The error of the last attempt; undefined while it is on its way. */
  readonly error?: unknown;
}

const NONE: readonly PendingMessage[] = [];

/** Unconfirmed messages by conversation, in the order in which they were written. */
export class PendingMessages {
  private readonly lists = new SignalMap<readonly PendingMessage[]>();
  /** Called with the `client_message_id` of each message that the service confirms. */
  onConfirm: (clientMessageId: string) => void = () => undefined;

  of(conversationId: string): ReadonlySignal<readonly PendingMessage[] | undefined> {
    return this.lists.get(conversationId);
  }

  all(): PendingMessage[] {
    return this.lists.keys().flatMap(id => this.lists.peek(id) ?? []);
  }

  has({ conversationId, body }: PendingMessage): boolean {
    return (this.lists.peek(conversationId) ?? NONE).some(
      each => each.body.client_message_id === body.client_message_id,
    );
  }

  /** Adds a message, or replaces the one with its `client_message_id`. */
  put(message: PendingMessage): void {
    const { conversationId, body } = message;
    const known = this.lists.peek(conversationId) ?? NONE;
    const index = known.findIndex(each => each.body.client_message_id === body.client_message_id);
    this.lists.set(conversationId, index < 0 ? [...known, message] : known.with(index, message));
  }

  /** @returns false if there is no such message */
  remove(conversationId: string, clientMessageId: string): boolean {
    const known = this.lists.peek(conversationId) ?? NONE;
    const left = known.filter(({ body }) => body.client_message_id !== clientMessageId);
    if (left.length === known.length) return false;
    if (left.length === 0) this.lists.delete(conversationId);
    else this.lists.set(conversationId, left);
    return true;
  }

  /** Removes what a stored message confirms, be it from a response or from a frame, of which one may be lost. */
  confirm({ conversation_id, client_message_id }: MessageView): void {
    if (client_message_id === null) return;
    if (this.remove(conversation_id, client_message_id)) this.onConfirm(client_message_id);
  }

  forget(conversationId: string): void {
    this.lists.delete(conversationId);
  }
}
