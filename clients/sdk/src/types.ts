/**
 * The service's answers, written by hand from its contract. Once the API description is generated, this file alone is
 * pointed at it (`export type MessageView = components['schemas']['MessageView']`), and nothing else changes.
 */

/** ISO 8601 UTC with six fractional digits. */
export type WireTime = string;

export type Role = 'owner' | 'admin' | 'agent';
export type SenderType = 'agent' | 'contact' | 'bot';
export type ContentType = 'text' | 'image' | 'file' | 'audio' | 'video' | 'event';
export type ConversationStatus = 'open' | 'pending' | 'snoozed' | 'resolved';
export type Priority = 'none' | 'low' | 'medium' | 'high' | 'urgent';
export type Availability = 'online' | 'away' | 'offline';
export type FreeForm = Record<string, unknown>;
/** Open spans of `HH:MM` by weekday, local time. */
export type BusinessHours = Partial<
  Record<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun', { from: string; to: string }[]>
>;

export interface AttachmentView {
  id: string;
  name: string;
  content_type: string;
  size: number;
  url: string;
  width?: number;
  height?: number;
}

export interface MessageView {
  id: string;
  conversation_id: string;
  workspace_id: string;
  /** Counts from 1 within its conversation, without a gap. The order in which messages are shown. */
  seq: number;
  sender_type: SenderType;
  sender_id: string;
  /** As the sender was called then; null for contacts. */
  sender_name: string | null;
  content_type: ContentType;
  content: string | null;
  attachments: AttachmentView[];
  metadata: FreeForm;
  client_message_id: string | null;
  private: boolean;
  reply_to_id: string | null;
  created_at: WireTime;
  edited_at: WireTime | null;
  deleted_at: WireTime | null;
}

/** As a visitor sees it: never private, and a hole in `seq` is no loss. */
export type VisitorMessageView = MessageView;

export interface LastMessageView {
  id: string;
  preview: string;
  sender_type: SenderType;
  created_at: WireTime;
}

export interface UnreadView {
  agents: number;
  contact: number;
}

export interface RatingView {
  /** 1 to 5. */
  score: number;
  comment: string | null;
}

/** Who did something. */
export interface ActorView {
  type: 'member' | 'contact' | 'bot' | 'api_key' | 'system';
  id: string | null;
}

export interface ContactSummaryView {
  id: string;
  name: string | null;
  email: string | null;
  avatar_url: string | null;
  verified: boolean;
}

export interface ConversationView {
  id: string;
  number: number;
  workspace_id: string;
  channel_id: string;
  contact_id: string;
  contact: ContactSummaryView;
  status: ConversationStatus;
  priority: Priority;
  assignee_id: string | null;
  bot_id: string | null;
  control: 'bot' | 'human';
  subject: string | null;
  tags: string[];
  custom_attributes: FreeForm;
  snoozed_until: WireTime | null;
  waiting_since: WireTime | null;
  first_response_at: WireTime | null;
  last_message: LastMessageView | null;
  last_activity_at: WireTime;
  last_seq: number;
  unread: UnreadView;
  agent_last_read_seq: number;
  contact_last_read_seq: number;
  resolved_at: WireTime | null;
  resolved_by: ActorView | null;
  reopened_count: number;
  previous_conversation_id: string | null;
  csat: RatingView | null;
  version: number;
  created_at: WireTime;
  updated_at: WireTime;
}

export interface MemberDisplayView {
  name: string;
  avatar_url: string | null;
}

export interface VisitorConversationView {
  id: string;
  number: number;
  status: ConversationStatus;
  assignee: MemberDisplayView | null;
  last_message: LastMessageView | null;
  last_seq: number;
  unread: UnreadView;
  csat: RatingView | null;
  created_at: WireTime;
}

export interface ConversationCountsView {
  mine: number;
  unassigned: number;
  open: number;
  pending: number;
  snoozed: number;
}

/** What starting a conversation answers; the message may have joined one that was still unresolved. */
export interface VisitorConversationStartedView {
  conversation: VisitorConversationView;
  message: VisitorMessageView;
}

export interface ContactView {
  id: string;
  external_id: string | null;
  name: string | null;
  email: string | null;
  phone: string | null;
  avatar_url: string | null;
  locale: string | null;
  timezone: string | null;
  verified: boolean;
  blocked: boolean;
  custom_attributes: FreeForm;
  last_seen_at: WireTime | null;
  created_at: WireTime;
  updated_at: WireTime;
}

export interface VisitorContactView {
  id: string;
  name: string | null;
  email: string | null;
  phone: string | null;
  verified: boolean;
}

export interface ChannelView {
  id: string;
  name: string;
  type: 'widget';
  status: 'active' | 'disabled';
  widget_token: string;
  allowed_origins: string[];
  identity_verification: 'off' | 'optional' | 'required';
  routing: { mode: 'manual' | 'round_robin' | 'least_loaded'; bot_id: string | null };
  single_conversation: boolean;
  reopen_window_hours: number;
  auto_resolve_hours: number | null;
  csat_enabled: boolean;
  business_hours: BusinessHours | null;
  widget_config: WidgetSettingsView;
  created_at: WireTime;
  updated_at: WireTime;
}

export interface MemberView {
  id: string;
  user_id: string;
  email: string;
  name: string;
  avatar_url: string | null;
  role: Role;
  status: 'active' | 'deactivated';
  availability: Availability;
  channel_ids: string[] | null;
  capacity: number;
  last_seen_at: WireTime | null;
  created_at: WireTime;
  updated_at: WireTime;
}

export interface WorkspaceView {
  id: string;
  name: string;
  locale: string;
  timezone: string;
  business_hours: BusinessHours | null;
  created_at: WireTime;
  updated_at: WireTime;
}

export interface ScopeView {
  type: 'all' | 'channels';
  channel_ids: string[] | null;
}

export interface WorkspaceMembershipView {
  id: string;
  name: string;
  role: Role;
}

export interface AgentSessionView {
  token: string;
  refresh_token: string;
  token_type: 'Bearer';
  expires_in: number;
  member: MemberView;
  workspace: WorkspaceView;
  scope: ScopeView;
  workspaces?: WorkspaceMembershipView[];
}

export interface MeView {
  member: MemberView;
  workspace: WorkspaceView;
  scope: ScopeView;
  workspaces: WorkspaceMembershipView[];
}

export interface PreChatField {
  key: string;
  label: string;
  type: 'text' | 'email' | 'phone' | 'textarea';
  required: boolean;
}

/** What an admin chose for the look and the features of the widget. */
export interface WidgetSettingsView {
  title: string;
  greeting: string;
  away_message: string;
  locale: string;
  theme: {
    primary_color: string;
    mode: 'light' | 'dark' | 'auto';
    position: 'left' | 'right';
    launcher_label: string;
    logo_url: string | null;
  };
  pre_chat_form: { enabled: boolean; fields: PreChatField[] };
  features: Record<'attachments' | 'emoji' | 'typing' | 'read_receipts' | 'csat' | 'transcript', boolean>;
}

/** The same for visitors, with the opening hours and the limits of the moment. */
export interface WidgetConfigView extends WidgetSettingsView {
  availability: { online: boolean; within_business_hours: boolean; next_open_at: WireTime | null };
  limits: { max_message_chars: number; max_attachment_bytes: number; allowed_mime_types: string[] };
}

export interface WidgetSessionView {
  visitor_token: string;
  contact_id: string;
  channel_name: string;
  widget_config: WidgetConfigView;
  expires_in: number;
  contact: VisitorContactView;
}

export interface CannedResponseView {
  id: string;
  short_code: string;
  title: string;
  content: string;
  tags: string[];
  created_by: string | null;
  usage_count: number;
  created_at: WireTime;
  updated_at: WireTime;
}

export interface RenderedCannedResponseView {
  content: string;
  missing: string[];
}

export interface ApiKeyView {
  id: string;
  name: string;
  key_prefix: string;
  scopes: string[];
  expires_at: WireTime | null;
  created_at: WireTime;
  last_used_at: WireTime | null;
  created_by: string;
}

export interface CreatedApiKeyView extends ApiKeyView {
  /** Shown this once. */
  key: string;
}

export interface ChannelWithSecretView extends ChannelView {
  /** Signs identity tokens; shown this once. */
  identity_secret: string;
}

export interface DeletedView {
  id: string;
  deleted: true;
}

export interface RevokedView {
  id: string;
  revoked: true;
}
