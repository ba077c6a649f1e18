import type { Actor, RecordedEvent } from '../../kernel/domain-event.js';
import type { ParticipantKey, Participation } from '../conversations/index.js';
import { mentionsOf } from '../messages/index.js';
import type { UnsentNote } from './notifications.repository.js';

/** A reason to notify a member. */
export interface Reason extends ParticipantKey {
  type: 'assigned' | 'mentioned' | 'replied';
  channelId: string;
  messageId: string | null;
  seq: number | null;
  actor: Actor;
  at: Date;
  /** True if the member has written in the conversation since. */
  answered: boolean;
}

/** Acts of a page of the event log that concern members. */
export class LogActs {
  private readonly participations = new Map<string, Participation>();
  private readonly unassignments = new Map<string, ParticipantKey>();
  readonly reasons: Reason[] = [];
  readonly unsent: UnsentNote[] = [];

  /** @param events in order */
  constructor(events: readonly RecordedEvent[]) {
    for (const event of events) this.add(event);
  }

  get participants(): Participation[] {
    return [...this.participations.values()];
  }

  get unassigned(): ParticipantKey[] {
    return [...this.unassignments.values()];
  }

  /** Participants who have written. */
  get writers(): Participation[] {
    return this.participants.filter(({ writtenSeq }) => writtenSeq !== null);
  }

  /** `seq` of the member's last message; 0 if it has written none. */
  lastWrittenSeq(key: ParticipantKey): number {
    return this.participations.get(textOf(key))?.writtenSeq ?? 0;
  }

  private add(event: RecordedEvent): void {
    if (event.type === 'conversation.updated') this.addAssignment(event as RecordedEvent<'conversation.updated'>);
    if (event.type === 'message.created') this.addMessage(event as RecordedEvent<'message.created'>);
    if (event.type === 'message.deleted') this.addUnsent(event as RecordedEvent<'message.deleted'>);
  }

  private addAssignment(event: RecordedEvent<'conversation.updated'>): void {
    const { from, to } = event.payload.changes.assignee_id as { from: string | null; to: string | null };
    const [workspaceId, conversationId, at] = [event.workspaceId, event.payload.id, new Date(event.recordedAt)];
    if (from !== null) {
      const key = { workspaceId, memberId: from, conversationId };
      this.unassignments.set(textOf(key), key);
      const participation = this.participations.get(textOf(key));
      if (participation) participation.assignedAt = null;
    }
    if (to === null) return;
    const key = { workspaceId, memberId: to, conversationId };
    this.unassignments.delete(textOf(key));
    Object.assign(this.participation(key), { assignedAt: at, actedAt: at });
    if (event.actor.type === 'member' && event.actor.id === to) return;
    this.addReason(event, key, { type: 'assigned', messageId: null, seq: null });
  }

  private addMessage(event: RecordedEvent<'message.created'>): void {
    const { message } = event.payload;
    const { workspaceId } = event;
    const { conversation_id: conversationId, seq, sender_id: writerId } = message;
    const at = new Date(event.recordedAt);
    const byAgent = message.sender_type === 'agent';
    if (byAgent) {
      const participation = this.participation({ workspaceId, memberId: writerId, conversationId });
      Object.assign(participation, { wroteAt: participation.wroteAt ?? at, actedAt: at, writtenSeq: seq });
      for (const reason of this.reasons) {
        if (reason.memberId === writerId && reason.conversationId === conversationId) reason.answered = true;
      }
    }
    if (!message.private) return;
    for (const memberId of mentionsOf(message)) {
      if (byAgent && memberId === writerId) continue;
      const key = { workspaceId, memberId, conversationId };
      Object.assign(this.participation(key), { mentionedSeq: seq, actedAt: at });
      this.addReason(event, key, { type: 'mentioned', messageId: message.id, seq });
    }
  }

  private addUnsent({ workspaceId, payload: { message } }: RecordedEvent<'message.deleted'>): void {
    const { id: messageId, conversation_id: conversationId, seq } = message;
    this.unsent.push({ workspaceId, conversationId, messageId, seq });
  }

  private addReason(
    { channelId, actor, recordedAt }: RecordedEvent,
    key: ParticipantKey,
    about: Pick<Reason, 'type' | 'messageId' | 'seq'>,
  ): void {
    if (channelId === null) return;
    this.reasons.push({ ...key, ...about, channelId, actor, at: new Date(recordedAt), answered: false });
  }

  private participation(key: ParticipantKey): Participation {
    const nothing = { assignedAt: null, wroteAt: null, mentionedSeq: null, actedAt: null, writtenSeq: null };
    const participation = this.participations.get(textOf(key)) ?? { ...key, ...nothing };
    this.participations.set(textOf(key), participation);
    return participation;
  }
}

function textOf({ workspaceId, memberId, conversationId }: ParticipantKey): string {
  return `${workspaceId} ${memberId} ${conversationId}`;
}
