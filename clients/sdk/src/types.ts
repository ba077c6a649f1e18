/**
 * Response types, with the names of the API description. The build generates `generated/openapi.ts` from
 * `docs/generated/openapi.json`.
 */
import type { components } from './generated/openapi.js';

type Schemas = components['schemas'];

/** ISO 8601 UTC with six fractional digits. */
export type WireTime = string;
export type FreeForm = Record<string, unknown>;

export type AttachmentView = Schemas['AttachmentView'];
export type MessageView = Schemas['MessageView'];
export type LastMessageView = Schemas['LastMessageView'];
export type ConversationContextView = Schemas['ConversationContextView'];
export type VisitedPageView = Schemas['VisitedPageView'];
export type UnreadView = Schemas['UnreadView'];
export type RatingView = Schemas['RatingView'];
export type ActorView = Schemas['ActorView'];
export type ContactSummaryView = Schemas['ContactSummaryView'];
export type ConversationView = Schemas['ConversationView'];
export type MemberDisplayView = Schemas['MemberDisplayView'];
export type VisitorConversationView = Schemas['VisitorConversationView'];
export type BulkResultsView = Schemas['BulkResultsView'];
export type FoundItemView = Schemas['FoundItemView'];
export type TagView = Schemas['TagView'];
export type TagNameView = Schemas['TagNameView'];
export type ViewView = Schemas['ViewView'];
export type ViewCountsView = Schemas['ViewCountsView'];
export type FiguresView = Schemas['FiguresView'];
export type ConversationsReportView = Schemas['ConversationsReportView'];
export type MembersReportView = Schemas['MembersReportView'];
export type ChannelsReportView = Schemas['ChannelsReportView'];
export type TagsReportView = Schemas['TagsReportView'];
export type ReportFileView = Schemas['ReportFileView'];
export type LiveBoardView = Schemas['LiveBoardView'];
export type ConversationCountsView = Schemas['ConversationCountsView'];
export type VisitorConversationStartedView = Schemas['VisitorConversationStartedView'];
export type TranscriptView = Schemas['TranscriptView'];
export type ContactView = Schemas['ContactView'];
export type ContactMergeView = Schemas['ContactMergeView'];
export type ContactExportView = Schemas['ContactExportView'];
export type VisitorContactView = Schemas['VisitorContactView'];
export type ChannelView = Schemas['ChannelView'];
export type MemberView = Schemas['MemberView'];
export type ProfileView = Schemas['ProfileView'];
export type NotificationView = Schemas['NotificationView'];
export type NotificationPageView = Schemas['NotificationPageView'];
export type UnreadNotificationsView = Schemas['UnreadNotificationsView'];
export type WorkspaceView = Schemas['WorkspaceView'];
export type ScopeView = Schemas['ScopeView'];
export type WorkspaceMembershipView = Schemas['WorkspaceMembershipView'];
export type AgentSessionView = Schemas['AgentSessionView'];
export type MeView = Schemas['MeView'];
export type WidgetSettingsView = Schemas['WidgetSettingsView'];
export type WidgetConfigView = Schemas['WidgetConfigView'];
export type PublicWidgetConfigView = Schemas['PublicWidgetConfigView'];
export type WidgetSessionView = Schemas['WidgetSessionView'];
export type CannedResponseView = Schemas['CannedResponseView'];
export type RenderedCannedResponseView = Schemas['RenderedCannedResponseView'];
export type InviteView = Schemas['InviteView'];
export type IssuedInviteView = Schemas['IssuedInviteView'];
export type InvitePreviewView = Schemas['InvitePreviewView'];
export type SsoTicketView = Schemas['SsoTicketView'];
export type BotView = Schemas['BotView'];
export type BotWithSecretView = Schemas['BotWithSecretView'];
export type BotTestView = Schemas['BotTestView'];
export type BotTypingView = Schemas['BotTypingView'];
/** The message that a bot is writing, as `message.draft` shows it. */
export type MessageDraftData = Schemas['MessageDraftData'];
export type WebhookView = Schemas['WebhookView'];
export type WebhookWithSecretView = Schemas['WebhookWithSecretView'];
export type WebhookTestView = Schemas['WebhookTestView'];
export type WebhookDeliveryView = Schemas['WebhookDeliveryView'];
export type ReplayView = Schemas['ReplayView'];
export type ApiKeyView = Schemas['ApiKeyView'];
export type CreatedApiKeyView = Schemas['CreatedApiKeyView'];
export type ChannelWithSecretView = Schemas['ChannelWithSecretView'];
export type EventView = Schemas['EventView'];
export type AuditEntryView = Schemas['AuditEntryView'];
export type EventPageView = Schemas['EventPageView'];
export type DeletedView = Schemas['DeletedView'];
export type RevokedView = Schemas['RevokedView'];
/** A message in the visitor's view: never private. Gaps in `seq` are private notes, not lost messages. */
export type VisitorMessageView = MessageView;

export type Role = MemberView['role'];
export type Availability = MemberView['availability'];
export type SenderType = MessageView['sender_type'];
export type ContentType = MessageView['content_type'];
export type ConversationStatus = ConversationView['status'];
export type TranscriptFormat = TranscriptView['format'];
export type Priority = ConversationView['priority'];
/** Opening times as `HH:MM` ranges by weekday, in local time. */
export type BusinessHours = NonNullable<WorkspaceView['business_hours']>;
export type PreChatField = Schemas['PreChatFieldBody'];
