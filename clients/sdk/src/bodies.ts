/**
 * Request bodies and queries, taken from the API description; responses are in types.ts. Only the sender of a message
 * is typed by hand, because callers differ there and the service's one shape does not show it.
 */
import type { Patch, Post, Query } from './api-types.js';
import type { ContentType } from './types.js';

/** A message that clients may send: only the service writes timeline entries (`event`). */
type ClientMessage<M> = Omit<M, 'content_type'> & { content_type?: Exclude<ContentType, 'event'> };
type AnyMessageBody = ClientMessage<NonNullable<Post<'/v1/conversations'>['message']>>;

/** A message of a visitor. Without a `client_message_id` the SDK generates one. */
export type VisitorMessageBody = ClientMessage<Post<'/v1/widget/conversations'>['message']>;
/** Answers to a channel's pre-chat form, by key: a boolean for a checkbox, else text. */
export type PreChatAnswers = Record<string, string | boolean>;
/** A message of an agent, in the agent's own name. */
export type AgentMessageBody = Omit<AnyMessageBody, 'member_id' | 'bot_id'>;
/** A message of a server, in the name of a member or of a bot. */
export type ServerMessageBody = AgentMessageBody &
  ({ member_id: string; bot_id?: undefined } | { bot_id: string; member_id?: undefined });

/** New text of a message, within 15 minutes. */
export type EditMessageBody = Patch<'/v1/conversations/{conversation_id}/messages/{id}'>;

/**
 * Range of a conversation's messages, in order of `seq`; without a bound, the newest ones. With `after_seq`,
 * `next_cursor` continues towards newer messages, otherwise towards older ones.
 */
export type MessageRange = Query<'/v1/conversations/{conversation_id}/messages'>;
export type { ListConversationsQuery, OneOrMore } from './inbox-filters.js';
export type CreateConversationBody<M = AgentMessageBody> = Omit<Post<'/v1/conversations'>, 'message'> & { message?: M };
/** An action on up to 100 conversations, with what it needs. */
export type BulkActionBody = Post<'/v1/conversations/bulk'>;
export type ListTagsQuery = Query<'/v1/tags'>;
/** `in` takes several of `messages`, `conversations` and `contacts`, separated by commas. */
export type SearchQuery = Query<'/v1/search'>;
/** The period, time zone and filters of a report. */
export type ReportQuery = Omit<Query<'/v1/reports/conversations'>, 'format'>;
export type UpdateConversationBody = Patch<'/v1/conversations/{id}'>;
export type SnoozeBody = Post<'/v1/conversations/{id}/snooze'>;
export type HandoffBody = Post<'/v1/conversations/{id}/handoff'>;
/** Version that a write is based on. A stale version returns 409 `version_conflict`. */
export type Versioned = Post<'/v1/conversations/{id}/take'>;

/** 5 is best. */
export type RateConversationBody = Post<'/v1/widget/conversations/{id}/rating'>;

export type ListContactsQuery = Query<'/v1/contacts'>;
export type GetContactQuery = Query<'/v1/contacts/{id}'>;
export type CreateContactBody = Post<'/v1/contacts'>;
export type UpdateContactBody = Patch<'/v1/contacts/{id}'>;
export type MergeContactBody = Post<'/v1/contacts/{id}/merge'>;
export type ExportContactBody = Post<'/v1/contacts/{id}/export'>;
/** Details that a visitor may change about itself. */
export type UpdateVisitorContactBody = Patch<'/v1/widget/contact'>;

export type CreateChannelBody = Post<'/v1/channels'>;
/** Only the settings to change. Lists are replaced as a whole. */
export type UpdateChannelBody = Patch<'/v1/channels/{id}'>;

export type ListCannedResponsesQuery = Query<'/v1/canned-responses'>;
export type CreateCannedResponseBody = Post<'/v1/canned-responses'>;
export type UpdateCannedResponseBody = Patch<'/v1/canned-responses/{id}'>;

export type CreateMemberBody = Post<'/v1/workspace/members'>;
export type UpdateMemberBody = Patch<'/v1/workspace/members/{id}'>;
export type UpdateProfileBody = Patch<'/v1/workspace/members/me'>;
export type ListNotificationsQuery = Query<'/v1/notifications'>;
export type ReadNotificationsBody = Post<'/v1/notifications/read'>;
export type UpdateWorkspaceBody = Patch<'/v1/workspace'>;
export type ListAuditLogQuery = Query<'/v1/audit-log'>;
export type ListEventsQuery = Query<'/v1/events'>;
export type CreateApiKeyBody = Post<'/v1/api-keys'>;

export type ListInvitesQuery = Query<'/v1/workspace/invites'>;
export type CreateInviteBody = Post<'/v1/workspace/invites'>;
export type CreateBotBody = Post<'/v1/bots'>;
export type UpdateBotBody = Patch<'/v1/bots/{id}'>;

export type CreateWebhookBody = Post<'/v1/webhooks'>;
export type UpdateWebhookBody = Patch<'/v1/webhooks/{id}'>;
export type ListDeliveriesQuery = Query<'/v1/webhooks/{webhook_id}/deliveries'>;
/** From `from` up to, and without, `to`. */
export type ReplayBody = Post<'/v1/webhooks/{webhook_id}/replay'>;

/** Member to sign in, and the channels of its session; default all channels of the member. */
export type SsoTicketBody = Post<'/v1/auth/sso/ticket'>;

/** Omits `rotate`, which the SDK always sets. */
export type LoginBody = Omit<Post<'/v1/auth/login'>, 'rotate'>;
export type RegisterBody = Omit<Post<'/v1/auth/register'>, 'rotate'>;
export type RegisterUserBody = Omit<Post<'/v1/auth/register-user'>, 'rotate'>;
export type ChangePasswordBody = Post<'/v1/auth/password'>;
export type ResetPasswordBody = Post<'/v1/auth/password/reset'>;
