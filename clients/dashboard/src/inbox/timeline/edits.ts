import { signal, type ReadonlySignal } from '@preact/signals';
import type { MessageView } from '@support-chat/sdk';
import { SignalMap } from '../../store/signal-map.js';

/** Own messages can be edited and unsent for this time. */
export const EDIT_MS = 15 * 60_000;

/** Texts of messages that are being edited, by message. They stay while other conversations are shown. */
class Edits {
  private readonly texts = new SignalMap<string>();
  private readonly idsSignal = signal<ReadonlySet<string>>(new Set());

  /** Messages that are being edited. */
  get ids(): ReadonlySignal<ReadonlySet<string>> {
    return this.idsSignal;
  }

  get(id: string): ReadonlySignal<string | undefined> {
    return this.texts.get(id);
  }

  set(id: string, text: string): void {
    this.texts.set(id, text);
    if (!this.idsSignal.peek().has(id)) this.idsSignal.value = new Set(this.texts.keys());
  }

  delete(id: string): void {
    this.texts.delete(id);
    this.idsSignal.value = new Set(this.texts.keys());
  }
}

export const edits = new Edits();

/** @returns true if the member may edit or unsend the message at this time */
export function isChangeable(message: MessageView, memberId: string, now: number): boolean {
  const { sender_type, sender_id, deleted_at, created_at } = message;
  return (
    sender_type === 'agent' && sender_id === memberId && deleted_at === null && now - Date.parse(created_at) < EDIT_MS
  );
}

/** Begins to edit the member's last message. @returns false if there is none that can be edited */
export function editLastOwn(messages: readonly MessageView[], memberId: string): boolean {
  const last = messages.findLast(message => message.sender_type === 'agent' && message.sender_id === memberId);
  if (!last?.content || last.content_type === 'event' || !isChangeable(last, memberId, Date.now())) return false;
  edits.set(last.id, last.content);
  return true;
}
