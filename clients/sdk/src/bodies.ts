/** What callers say to the service: bodies and queries. What it answers stands in types.ts. */

import type { PageQuery } from './pages.js';
import type {
  BusinessHours,
  ContentType,
  ConversationStatus,
  FreeForm,
  Priority,
  Role,
  Availability,
  WidgetSettingsView,
} from './types.js';

/** A message as a visitor sends it. Without a `client_message_id` the SDK makes one. */
export interface VisitorMessageBody {
  content?: string;
  content_type?: Exclude<ContentType, 'event'>;
  attachment_ids?: string[];
  metadata?: FreeForm;
  client_message_id?: string;
  reply_to_id?: string;
}

/** A message as an agent sends it. */
export interface AgentMessageBody extends VisitorMessageBody {
  /** A note among agents. */
  private?: boolean;
  /** Refuses with 409 `conversation_moved` when something newer has been said. */
  expected_last_seq?: number;
}

/** A message as a server sends it: in the name of a member or of a bot. */
export type ServerMessageBody = AgentMessageBody &
  ({ member_id: string; bot_id?: undefined } | { bot_id: string; member_id?: undefined });

/**
 * Which part of a talk, in order of `seq`; without a bound, its end. `next_cursor` goes on towards newer messages from
 * `after_seq`, else towards older ones.
 */
export interface MessageRange extends PageQuery {
  before_seq?: number;
  after_seq?: number;
}

export interface ListConversationsQuery extends PageQuery {
  status?: ConversationStatus;
  /** `me`, `none`, or a member's id. */
  assignee?: string;
  channel_id?: string;
  contact_id?: string;
  tag?: string;
  priority?: Priority;
  query?: string;
  updated_since?: string;
  sort?: 'last_activity' | 'created' | 'waiting';
}

/** Writes may say which version they were made from; a stale one is 409 `version_conflict`. */
export interface Versioned {
  expected_version?: number;
}

export interface CreateConversationBody<M = AgentMessageBody> {
  contact_id: string;
  channel_id: string;
  subject?: string;
  message?: M;
}

export interface UpdateConversationBody extends Versioned {
  subject?: string | null;
  priority?: Priority;
  tags?: string[];
  custom_attributes?: FreeForm;
}

export interface UpdateContactBody {
  external_id?: string | null;
  name?: string | null;
  email?: string | null;
  phone?: string | null;
  avatar_url?: string | null;
  locale?: string | null;
  timezone?: string | null;
  custom_attributes?: FreeForm;
}

export type CreateContactBody = UpdateContactBody;

export interface ListContactsQuery extends PageQuery {
  /** Looked for in name, e-mail, phone and external_id. */
  query?: string;
}

/** The widget's settings, any part of them. */
export type WidgetSettingsChanges = {
  [K in keyof WidgetSettingsView]?: WidgetSettingsView[K] extends string ? string : Partial<WidgetSettingsView[K]>;
};

export interface UpdateChannelBody {
  name?: string;
  status?: 'active' | 'disabled';
  allowed_origins?: string[];
  identity_verification?: 'off' | 'optional' | 'required';
  routing?: { mode?: 'manual' | 'round_robin' | 'least_loaded' };
  single_conversation?: boolean;
  reopen_window_hours?: number;
  auto_resolve_hours?: number | null;
  csat_enabled?: boolean;
  business_hours?: BusinessHours | null;
  /** Only what is to change; lists are replaced whole. */
  widget_config?: WidgetSettingsChanges;
}

export interface CreateChannelBody extends UpdateChannelBody {
  name: string;
}

export interface UpdateCannedResponseBody {
  short_code?: string;
  title?: string;
  content?: string;
  tags?: string[];
}

export interface CreateCannedResponseBody extends UpdateCannedResponseBody {
  short_code: string;
  title: string;
  content: string;
}

export interface CreateMemberBody {
  email: string;
  name: string;
  role?: Role;
  channel_ids?: string[] | null;
  password?: string;
}

export interface UpdateProfileBody {
  name?: string;
  avatar_url?: string | null;
  availability?: Availability;
}

export interface UpdateWorkspaceBody {
  name?: string;
  locale?: string;
  timezone?: string;
  business_hours?: BusinessHours | null;
}

export interface CreateApiKeyBody {
  name: string;
  /** Default `["*"]`. */
  scopes?: string[];
  /** When omitted the key never expires. */
  expires_at?: string | null;
}

export interface LoginBody {
  email: string;
  password: string;
  workspace_id?: string;
}

export interface RegisterBody {
  workspace_name: string;
  name: string;
  email: string;
  password: string;
}

export interface ChangePasswordBody {
  old_password: string;
  password: string;
}

export interface ResetPasswordBody {
  reset_token: string;
  password: string;
}

/** What a visitor may say about itself. */
export interface UpdateVisitorContactBody {
  name?: string | null;
  email?: string | null;
  phone?: string | null;
  locale?: string | null;
  custom_attributes?: FreeForm;
}
