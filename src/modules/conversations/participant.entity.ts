import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { KeyColumn, TimeColumn } from '../../platform/database/columns.js';

/** The part of a member in a conversation. Written by a consumer of the event log, at most two seconds late. */
@Entity({ name: 'participant' })
@Index('ix_participant_conversation', ['workspaceId', 'conversationId'])
@Index('ix_participant_mention', ['workspaceId', 'memberId'], { where: `"mentioned_seq" > "looked_seq"` })
@ForeignKey('member', ['workspaceId', 'memberId'], ['workspaceId', 'id'], {
  name: 'fk_participant_member',
  onDelete: 'CASCADE',
})
@ForeignKey('conversation', ['workspaceId', 'conversationId'], ['workspaceId', 'id'], {
  name: 'fk_participant_conversation',
  onDelete: 'CASCADE',
})
export class ParticipantEntity {
  @KeyColumn('workspace_id', 'pk_participant')
  workspaceId!: string;

  @KeyColumn('member_id', 'pk_participant')
  memberId!: string;

  @KeyColumn('conversation_id', 'pk_participant')
  conversationId!: string;

  /** Since when the member is assigned; null if it is not. */
  @TimeColumn('assigned_at', { nullable: true })
  assignedAt!: Date | null;

  /** Time of the member's first message or note. */
  @TimeColumn('wrote_at', { nullable: true })
  wroteAt!: Date | null;

  /** `seq` of the last note that mentions the member. */
  @Column({ name: 'mentioned_seq', type: 'integer', nullable: true })
  mentionedSeq!: number | null;

  /** The last of these acts that the member's leaving is compared with. */
  @TimeColumn('acted_at', { nullable: true })
  actedAt!: Date | null;

  /** When the member left; null again after a later act. */
  @TimeColumn('left_at', { nullable: true })
  leftAt!: Date | null;

  /** `seq` up to which the member has looked. */
  @Column({ name: 'looked_seq', type: 'integer', default: 0 })
  lookedSeq!: number;

  @TimeColumn('looked_at', { nullable: true })
  lookedAt!: Date | null;
}
