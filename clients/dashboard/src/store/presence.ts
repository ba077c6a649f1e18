import type { ReadonlySignal } from '@preact/signals';
import type { AgentFrames, MessageDraftData, VisitedPageView } from '@support-chat/sdk';
import type { AgentFrame } from './frame-log.js';
import { SignalMap } from './signal-map.js';

export type TypingPerson = AgentFrames['typing']['data'];
export type MemberPresence = 'online' | 'away' | 'offline';

const NO_NAMES: readonly string[] = [];
/** A bot that is not heard of for so long has stopped, whatever its last frame was. */
const DRAFT_MS = 60_000;

/** Facts of the moment, which nobody stores: presence, typing, viewers, and the page of a visitor. */
export class Presence {
  private readonly members = new SignalMap<MemberPresence>();
  private readonly contacts = new SignalMap<true>();
  private readonly typing = new SignalMap<readonly TypingPerson[]>();
  private readonly viewing = new SignalMap<readonly string[]>();
  private readonly pages = new SignalMap<VisitedPageView>();
  private readonly drafts = new SignalMap<readonly MessageDraftData[]>();
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();

  /** @param memberId of the signed-in member, who is not listed among the others */
  constructor(private readonly memberId: string) {}

  ofMember(id: string): MemberPresence {
    return this.members.get(id).value ?? 'offline';
  }

  isContactOnline(id: string): boolean {
    return this.contacts.get(id).value === true;
  }

  /** Others who type in a conversation. */
  typingIn(conversationId: string): readonly TypingPerson[] {
    return this.typing.get(conversationId).value ?? [];
  }

  /** Ids of other members who have a conversation open. */
  viewersOf(conversationId: string): readonly string[] {
    return this.viewing.get(conversationId).value ?? NO_NAMES;
  }

  /** The page where the visitor of a conversation is. */
  pageOf(conversationId: string): ReadonlySignal<VisitedPageView | undefined> {
    return this.pages.get(conversationId);
  }

  /** Messages that bots are writing. */
  draftsIn(conversationId: string): readonly MessageDraftData[] {
    return this.drafts.get(conversationId).value ?? [];
  }

  receive(frame: AgentFrame): void {
    switch (frame.type) {
      case 'connected':
        return this.clear();
      case 'presence.updated':
        return this.updatePresence(frame.data);
      case 'viewing.updated': {
        const others = frame.data.members.filter(id => id !== this.memberId);
        if (others.length > 0) this.viewing.set(frame.data.conversation_id, others);
        else this.viewing.delete(frame.data.conversation_id);
        return;
      }
      case 'visitor.page':
        if (frame.data.page) this.pages.set(frame.data.conversation_id, frame.data.page);
        else this.pages.delete(frame.data.conversation_id);
        return;
      case 'typing':
        return this.startTyping(frame.data);
      case 'typing.stop':
        return this.stopTyping(frame.data.conversation_id, frame.data.sender_id);
      case 'message.draft':
        return this.updateDraft(frame.data);
      case 'message.created': {
        const { conversation_id, sender_id, metadata } = frame.data.message;
        this.stopTyping(conversation_id, sender_id);
        return this.removeDraft(conversation_id, metadata['draft_id']);
      }
      default:
    }
  }

  clear(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    for (const map of [this.members, this.contacts, this.typing, this.viewing, this.pages, this.drafts]) map.clear();
  }

  private updatePresence({ subject_type, subject_id, status }: AgentFrames['presence.updated']['data']): void {
    if (subject_type === 'member') this.members.set(subject_id, status);
    else if (status === 'offline') this.contacts.delete(subject_id);
    else this.contacts.set(subject_id, true);
  }

  private startTyping(person: TypingPerson): void {
    const { conversation_id, sender_id, expires_in_ms } = person;
    if (sender_id === this.memberId) return;
    const others = (this.typing.peek(conversation_id) ?? []).filter(each => each.sender_id !== sender_id);
    this.typing.set(conversation_id, [...others, person]);
    this.after(`typing ${conversation_id} ${sender_id}`, expires_in_ms, () =>
      this.stopTyping(conversation_id, sender_id),
    );
  }

  private stopTyping(conversationId: string, senderId: string): void {
    const known = this.typing.peek(conversationId);
    const others = known?.filter(each => each.sender_id !== senderId);
    if (!others || others.length === known?.length) return;
    this.stopTimer(`typing ${conversationId} ${senderId}`);
    if (others.length > 0) this.typing.set(conversationId, others);
    else this.typing.delete(conversationId);
  }

  private updateDraft(draft: MessageDraftData): void {
    const { conversation_id, draft_id, state } = draft;
    if (state === 'cancelled') return this.removeDraft(conversation_id, draft_id);
    const known = this.drafts.peek(conversation_id) ?? [];
    const index = known.findIndex(each => each.draft_id === draft_id);
    this.drafts.set(conversation_id, index < 0 ? [...known, draft] : known.with(index, draft));
    this.after(`draft ${draft_id}`, DRAFT_MS, () => this.removeDraft(conversation_id, draft_id));
  }

  private removeDraft(conversationId: string, draftId: unknown): void {
    const left = this.drafts.peek(conversationId)?.filter(({ draft_id }) => draft_id !== draftId);
    if (!left) return;
    if (left.length > 0) this.drafts.set(conversationId, left);
    else this.drafts.delete(conversationId);
    this.stopTimer(`draft ${String(draftId)}`);
  }

  private after(key: string, ms: number, run: () => void): void {
    this.stopTimer(key);
    this.timers.set(
      key,
      setTimeout(() => {
        this.timers.delete(key);
        run();
      }, ms),
    );
  }

  private stopTimer(key: string): void {
    clearTimeout(this.timers.get(key));
    this.timers.delete(key);
  }
}
