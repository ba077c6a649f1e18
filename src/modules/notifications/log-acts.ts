import type { Actor, RecordedEvent } from '../../kernel/domain-event.js';
import type { ParticipantKey, Participation } from '../conversations/index.js';
import { mentionsOf } from '../messages/index.js';
import type { UnsentNote } from './notifications.repository.js';
import type { Writer } from './replies.repository.js';

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

/** Acts of a part of the event log that concern members. */
export class LogActs {
  private readonly participations = new Map<string, Participation>();
  private readonly unassignments = new Map<string, ParticipantKey>();
  /** Positions of members' last messages in the event log. */
  private readonly lastPositions = new Map<string, bigint>();
  readonly reasons: Reason[] = [];
  readonly unsent: UnsentNote[] = [];

  /** @param events in order: changes of assignees, notes that mention members, unsent notes */
  constructor(events: readonly RecordedEvent[], writers: readonly Writer[]) {
    for (const writer of writers) this.addWriter(writer);
    for (const event of events) this.add(event);
  }

  get participants(): Participation[] {
    return [...this.participations.values()];
  }

  get unassigned(): ParticipantKey[] {
    return [...this.unassignments.values()];
  }

  /** `seq` of the member's last message; 0 if it has written none. */
  lastWrittenSeq(key: ParticipantKey): number {
    return this.participations.get(textOf(key))?.writtenSeq ?? 0;
  }

  private add(event: RecordedEvent): void {
    if (event.type === 'conversation.updated') this.addAssignment(event as RecordedEvent<'conversation.updated'>);
    if (event.type === 'message.created') this.addMentions(event as RecordedEvent<'message.created'>);
    if (event.type === 'message.deleted') this.addUnsent(event as RecordedEvent<'message.deleted'>);
  }

  private addAssignment(event: RecordedEvent<'conversation.updated'>): void {
    const { from, to } = event.payload.changes.assignee_id as { from: string | null; to: string | null };
    const [workspaceId, conversationId] = [event.workspaceId, event.payload.id];
    if (from !== null) {
      const key = { workspaceId, memberId: from, conversationId };
      this.unassignments.set(textOf(key), key);
      const participation = this.participations.get(textOf(key));
      if (participation) participation.assignedAt = null;
    }
    if (to === null) return;
    const key = { workspaceId, memberId: to, conversationId };
    this.unassignments.delete(textOf(key));
    this.act(key, event, { assignedAt: new Date(event.recordedAt) });
    if (event.actor.type === 'member' && event.actor.id === to) return;
    this.addReason(event, key, { type: 'assigned', messageId: null, seq: null });
  }

  private addWriter({ firstAt, lastAt, lastSeq, lastPosition, ...key }: Writer): void {
    this.lastPositions.set(textOf(key), BigInt(lastPosition));
    Object.assign(this.participation(key), { wroteAt: firstAt, actedAt: lastAt, writtenSeq: lastSeq });
  }

  private addMentions(event: RecordedEvent<'message.created'>): void {
    const { message } = event.payload;
    const { conversation_id: conversationId, seq } = message;
    if (!message.private) return;
    for (const memberId of mentionsOf(message)) {
      if (message.sender_type === 'agent' && memberId === message.sender_id) continue;
      const key = { workspaceId: event.workspaceId, memberId, conversationId };
      this.act(key, event, { mentionedSeq: seq });
      this.addReason(event, key, { type: 'mentioned', messageId: message.id, seq });
    }
  }

  private addUnsent({ workspaceId, payload: { message } }: RecordedEvent<'message.deleted'>): void {
    const { id: messageId, conversation_id: conversationId, seq } = message;
    this.unsent.push({ workspaceId, conversationId, messageId, seq });
  }

  private act(key: ParticipantKey, { recordedAt }: RecordedEvent, change: Partial<Participation>): void {
    const participation = this.participation(key);
    const at = new Date(recordedAt);
    const { actedAt } = participation;
    Object.assign(participation, change, { actedAt: actedAt !== null && actedAt > at ? actedAt : at });
  }

  private addReason(
    { channelId, actor, recordedAt, position }: RecordedEvent,
    key: ParticipantKey,
    about: Pick<Reason, 'type' | 'messageId' | 'seq'>,
  ): void {
    if (channelId === null) return;
    const answered = (this.lastPositions.get(textOf(key)) ?? 0n) > BigInt(position);
    this.reasons.push({ ...key, ...about, channelId, actor, at: new Date(recordedAt), answered });
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
