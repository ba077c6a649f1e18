/**
 * The service's answers, by the names that its API description has for them. `generated/openapi.ts` is made from
 * `docs/generated/openapi.json` by `npm run docs`; nothing here is written down a second time.
 */
import type { components } from './generated/openapi.js';

type Schemas = components['schemas'];

/** ISO 8601 UTC with six fractional digits. */
export type WireTime = string;
export type FreeForm = Record<string, unknown>;

export type AttachmentView = Schemas['AttachmentView'];
export type MessageView = Schemas['MessageView'];
export type LastMessageView = Schemas['LastMessageView'];
export type UnreadView = Schemas['UnreadView'];
export type RatingView = Schemas['RatingView'];
export type ActorView = Schemas['ActorView'];
export type ContactSummaryView = Schemas['ContactSummaryView'];
export type ConversationView = Schemas['ConversationView'];
export type MemberDisplayView = Schemas['MemberDisplayView'];
export type VisitorConversationView = Schemas['VisitorConversationView'];
export type ConversationCountsView = Schemas['ConversationCountsView'];
export type VisitorConversationStartedView = Schemas['VisitorConversationStartedView'];
export type ContactView = Schemas['ContactView'];
export type ContactMergeView = Schemas['ContactMergeView'];
export type ContactExportView = Schemas['ContactExportView'];
export type VisitorContactView = Schemas['VisitorContactView'];
export type ChannelView = Schemas['ChannelView'];
export type MemberView = Schemas['MemberView'];
export type WorkspaceView = Schemas['WorkspaceView'];
export type ScopeView = Schemas['ScopeView'];
export type WorkspaceMembershipView = Schemas['WorkspaceMembershipView'];
export type AgentSessionView = Schemas['AgentSessionView'];
export type MeView = Schemas['MeView'];
export type WidgetSettingsView = Schemas['WidgetSettingsView'];
export type WidgetConfigView = Schemas['WidgetConfigView'];
export type WidgetSessionView = Schemas['WidgetSessionView'];
export type CannedResponseView = Schemas['CannedResponseView'];
export type RenderedCannedResponseView = Schemas['RenderedCannedResponseView'];
export type InviteView = Schemas['InviteView'];
export type IssuedInviteView = Schemas['IssuedInviteView'];
export type InvitePreviewView = Schemas['InvitePreviewView'];
export type SsoTicketView = Schemas['SsoTicketView'];
export type BotView = Schemas['BotView'];
export type BotWithSecretView = Schemas['BotWithSecretView'];
export type ApiKeyView = Schemas['ApiKeyView'];
export type CreatedApiKeyView = Schemas['CreatedApiKeyView'];
export type ChannelWithSecretView = Schemas['ChannelWithSecretView'];
export type EventView = Schemas['EventView'];
export type AuditEntryView = Schemas['AuditEntryView'];
export type EventPageView = Schemas['EventPageView'];
export type DeletedView = Schemas['DeletedView'];
export type RevokedView = Schemas['RevokedView'];
/** As a visitor sees it: never private, and a hole in `seq` is no loss. */
export type VisitorMessageView = MessageView;

export type Role = MemberView['role'];
export type Availability = MemberView['availability'];
export type SenderType = MessageView['sender_type'];
export type ContentType = MessageView['content_type'];
export type ConversationStatus = ConversationView['status'];
export type Priority = ConversationView['priority'];
/** Open spans of `HH:MM` by weekday, local time. */
export type BusinessHours = NonNullable<WorkspaceView['business_hours']>;
export type PreChatField = Schemas['PreChatFieldBody'];
