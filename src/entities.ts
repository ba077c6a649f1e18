import { ApiKeyEntity } from './modules/api-keys/api-key.entity.js';
import { AuditEntryEntity } from './modules/audit/audit-entry.entity.js';
import { PasswordResetEntity } from './modules/auth/password-reset.entity.js';
import { SessionEntity } from './modules/auth/session.entity.js';
import { BotEntity } from './modules/bots/bot.entity.js';
import { CannedResponseEntity } from './modules/canned-responses/canned-response.entity.js';
import { ChannelEntity } from './modules/channels/channel.entity.js';
import { ContactChannelEntity, ContactEntity } from './modules/contacts/contact.entity.js';
import {
  ConversationCounterEntity,
  ConversationEntity,
  ConversationCountsEntity,
} from './modules/conversations/conversation.entity.js';
import { MessageEntity } from './modules/conversations/messages/message.entity.js';
import { InviteEntity } from './modules/invites/invite.entity.js';
import { MemberEntity } from './modules/members/member.entity.js';
import { SsoTicketEntity } from './modules/sso/sso-ticket.entity.js';
import { UserEntity } from './modules/users/user.entity.js';
import { WorkspaceEntity } from './modules/workspaces/workspace.entity.js';
import { ErasedSubjectEntity, ErasureEntity } from './platform/erasure/erasure.entity.js';
import { IdempotencyKeyEntity } from './platform/idempotency/idempotency.entity.js';

/** Every TypeORM entity. The event log and consumer positions have none, because TypeORM does not support `xid8`. */
export const ENTITIES = [
  WorkspaceEntity,
  UserEntity,
  BotEntity,
  ChannelEntity,
  MemberEntity,
  ContactEntity,
  ContactChannelEntity,
  ApiKeyEntity,
  SessionEntity,
  PasswordResetEntity,
  InviteEntity,
  SsoTicketEntity,
  ConversationEntity,
  ConversationCounterEntity,
  ConversationCountsEntity,
  MessageEntity,
  CannedResponseEntity,
  AuditEntryEntity,
  IdempotencyKeyEntity,
  ErasureEntity,
  ErasedSubjectEntity,
];
