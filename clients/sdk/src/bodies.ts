/**
 * What callers say to the service, by the route that takes it; what it answers stands in types.ts. Written by hand is
 * only where callers differ and the service's one shape does not show it: who may speak for whom.
 */
import type { paths } from './generated/openapi.js';
import type { ContentType } from './types.js';

type Json<Body> = { content: { 'application/json': Body } };
type Post<P extends keyof paths> = paths[P] extends { post: { requestBody?: Json<infer Body> } } ? Body : never;
type Patch<P extends keyof paths> = paths[P] extends { patch: { requestBody?: Json<infer Body> } } ? Body : never;
type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? NonNullable<Q>
  : never;

/** Timeline entries are the service's own. */
type ClientMessage<M> = Omit<M, 'content_type'> & { content_type?: Exclude<ContentType, 'event'> };
type AnyMessageBody = ClientMessage<NonNullable<Post<'/v1/conversations'>['message']>>;

/** A message as a visitor sends it. Without a `client_message_id` the SDK makes one. */
export type VisitorMessageBody = ClientMessage<Post<'/v1/widget/conversations'>['message']>;
/** A message as an agent sends it: in the agent's own name. */
export type AgentMessageBody = Omit<AnyMessageBody, 'member_id' | 'bot_id'>;
/** A message as a server sends it: in the name of a member or of a bot. */
export type ServerMessageBody = AgentMessageBody &
  ({ member_id: string; bot_id?: undefined } | { bot_id: string; member_id?: undefined });

/**
 * Which part of a talk, in order of `seq`; without a bound, its end. `next_cursor` goes on towards newer messages from
 * `after_seq`, else towards older ones.
 */
export type MessageRange = Query<'/v1/conversations/{conversation_id}/messages'>;
export type ListConversationsQuery = Query<'/v1/conversations'>;
export type CreateConversationBody<M = AgentMessageBody> = Omit<Post<'/v1/conversations'>, 'message'> & { message?: M };
export type UpdateConversationBody = Patch<'/v1/conversations/{id}'>;
/** Writes may say which version they were made from; a stale one is 409 `version_conflict`. */
export type Versioned = Post<'/v1/conversations/{id}/take'>;

export type ListContactsQuery = Query<'/v1/contacts'>;
export type CreateContactBody = Post<'/v1/contacts'>;
export type UpdateContactBody = Patch<'/v1/contacts/{id}'>;
export type MergeContactBody = Post<'/v1/contacts/{id}/merge'>;
export type ExportContactBody = Post<'/v1/contacts/{id}/export'>;
/** What a visitor may say about itself. */
export type UpdateVisitorContactBody = Patch<'/v1/widget/contact'>;

export type CreateChannelBody = Post<'/v1/channels'>;
/** Of the widget's settings only what is to change; lists are replaced whole. */
export type UpdateChannelBody = Patch<'/v1/channels/{id}'>;

export type ListCannedResponsesQuery = Query<'/v1/canned-responses'>;
export type CreateCannedResponseBody = Post<'/v1/canned-responses'>;
export type UpdateCannedResponseBody = Patch<'/v1/canned-responses/{id}'>;

export type CreateMemberBody = Post<'/v1/workspace/members'>;
export type UpdateMemberBody = Patch<'/v1/workspace/members/{id}'>;
export type UpdateProfileBody = Patch<'/v1/workspace/members/me'>;
export type UpdateWorkspaceBody = Patch<'/v1/workspace'>;
export type ListAuditLogQuery = Query<'/v1/audit-log'>;
export type ListEventsQuery = Query<'/v1/events'>;
export type CreateApiKeyBody = Post<'/v1/api-keys'>;

export type ListInvitesQuery = Query<'/v1/workspace/invites'>;
export type CreateInviteBody = Post<'/v1/workspace/invites'>;
export type CreateBotBody = Post<'/v1/bots'>;
export type UpdateBotBody = Patch<'/v1/bots/{id}'>;

/** Whom a server lets in, and into which channels: all that the member sees unless told. */
export type SsoTicketBody = Post<'/v1/auth/sso/ticket'>;

/** Without `rotate`, which the SDK always asks for. */
export type LoginBody = Omit<Post<'/v1/auth/login'>, 'rotate'>;
export type RegisterBody = Omit<Post<'/v1/auth/register'>, 'rotate'>;
export type RegisterUserBody = Omit<Post<'/v1/auth/register-user'>, 'rotate'>;
export type ChangePasswordBody = Post<'/v1/auth/password'>;
export type ResetPasswordBody = Post<'/v1/auth/password/reset'>;
