import { ApiKeysModule } from './modules/api-keys/index.js';
import { AssignmentModule } from './modules/assignment/index.js';
import { AttachmentsModule } from './modules/attachments/index.js';
import { AuditModule } from './modules/audit/index.js';
import { AuthModule } from './modules/auth/index.js';
import { AutoResolveModule } from './modules/auto-resolve/index.js';
import { AvailabilityModule } from './modules/availability/index.js';
import { AwayModule } from './modules/away/index.js';
import { BotDialogueModule } from './modules/bot-dialogue/index.js';
import { BotsModule } from './modules/bots/index.js';
import { BulkActionsModule } from './modules/bulk-actions/index.js';
import { CannedResponsesModule } from './modules/canned-responses/index.js';
import { ChannelsModule } from './modules/channels/index.js';
import { ContactsModule } from './modules/contacts/index.js';
import { ConversationsModule } from './modules/conversations/index.js';
import { FollowUpsModule } from './modules/follow-ups/index.js';
import { InvitesModule } from './modules/invites/index.js';
import { MailFailuresModule } from './modules/mail-failures/index.js';
import { MembersModule } from './modules/members/index.js';
import { MessagesModule } from './modules/messages/index.js';
import { RatingsModule } from './modules/ratings/index.js';
import { ReportsModule } from './modules/reports/index.js';
import { NotificationsModule } from './modules/notifications/index.js';
import { RealtimeModule } from './modules/realtime/index.js';
import { SearchModule } from './modules/search/index.js';
import { SsoModule } from './modules/sso/index.js';
import { TagsModule } from './modules/tags/index.js';
import { TranscriptsModule } from './modules/transcripts/index.js';
import { UsersModule } from './modules/users/index.js';
import { ViewsModule } from './modules/views/index.js';
import { WebhooksModule } from './modules/webhooks/index.js';
import { WidgetModule } from './modules/widget/index.js';
import { WorkspacesModule } from './modules/workspaces/index.js';

/** Static properties that a module's class may have, beside what it declares to Nest. */
interface Declarations {
  readonly entities?: readonly (new () => object)[];
  readonly events?: object;
}

/** Every module, in the order of `modules/order.json`. */
export const MODULES = [
  WorkspacesModule,
  MailFailuresModule,
  UsersModule,
  BotsModule,
  ChannelsModule,
  MembersModule,
  AvailabilityModule,
  ContactsModule,
  ApiKeysModule,
  AuthModule,
  InvitesModule,
  SsoModule,
  WidgetModule,
  AttachmentsModule,
  TagsModule,
  ConversationsModule,
  MessagesModule,
  AutoResolveModule,
  AwayModule,
  RatingsModule,
  TranscriptsModule,
  FollowUpsModule,
  BulkActionsModule,
  CannedResponsesModule,
  ViewsModule,
  NotificationsModule,
  AssignmentModule,
  BotDialogueModule,
  WebhooksModule,
  AuditModule,
  SearchModule,
  ReportsModule,
  RealtimeModule,
] as const satisfies readonly (Declarations & (new () => object))[];
