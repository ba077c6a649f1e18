import { BrowserPage, Locale, Timezone } from '../../platform/schemas/local-fields.js';
import { Embedded } from '../../platform/schemas/answer-fields.js';
import {
  Choice,
  Email,
  Flag,
  FreeForm,
  Id,
  Integer,
  Nested,
  Text,
  Texts,
  Time,
} from '../../platform/schemas/fields.js';
import type { Availability } from '../availability/index.js';
import type { IdentityMode, WidgetConfig } from '../channels/index.js';
import { IDENTITY_MODES } from '../channels/index.js';
import type { VisitorContactRecord } from './visitor-contact.js';
import type { WidgetConfigRecord } from './widget-session.js';

const optional = true;
const nullable = true;

export class OpenSessionBody {
  @Text({ description: 'The public token of the channel.', example: 'wt_4hQ0z8K1vTn2wXc7Yb3Rm9Lp' })
  widget_token!: string;
  @Text({ optional, max: 255, description: "The site's own id for its user.", example: 'customer-42' })
  external_id?: string;
  @Text({ optional, example: 'Vera Lindqvist' }) name?: string;
  @Email({ optional }) email?: string;
  @Text({ optional, max: 50, example: '+49 30 1234567' }) phone?: string;
  @Text({
    optional,
    max: 4096,
    description: "JWT signed with HS256 and the channel's identity secret. `sub` is the `external_id`.",
  })
  identity_token?: string;
  @Locale({ optional }) locale?: string;
  @Timezone({ optional }) timezone?: string;
  @BrowserPage() page?: unknown;
  @FreeForm({ optional }) custom_attributes?: Record<string, unknown>;
}

export class WidgetConfigQuery {
  @Text({ description: 'The public token of the channel.', example: 'wt_4hQ0z8K1vTn2wXc7Yb3Rm9Lp' })
  widget_token!: string;
}

export class UpdateVisitorContactBody {
  @Flag({ optional, description: 'Whether the address wants no follow-ups by mail. For verified contacts only.' })
  email_unsubscribed?: boolean;
  @Text({ optional, nullable, example: 'Vera Lindqvist' }) name?: string | null;
  @Email({ optional, nullable }) email?: string | null;
  @Text({ optional, nullable, max: 50, example: '+49 30 1234567' }) phone?: string | null;
  @Locale({ optional, nullable }) locale?: string | null;
  @FreeForm({ optional }) custom_attributes?: Record<string, unknown>;
}

export class AvailabilityView implements Availability {
  @Flag({ description: 'Whether a member who sees the channel is online: connected and available.' })
  online!: boolean;
  @Flag() within_business_hours!: boolean;
  @Time({ nullable, description: 'Next opening within 400 days. Null while open.' }) next_open_at!: string | null;
  @Integer({
    nullable,
    max: 86_400,
    example: 300,
    description:
      'Half of the first answers of the last 7 days came within this time of the business hours: 1, 5, 15 or 30 minutes, 1, 2, 4, 8 or 24 hours. Null below 10 answers.',
  })
  typical_reply_seconds!: number | null;
}

export class WidgetLimitsView {
  @Integer() max_message_chars!: number;
  @Integer() max_attachment_bytes!: number;
  @Texts({ maxItems: 100 }) allowed_mime_types!: string[];
}

export class WidgetConfigView implements WidgetConfigRecord {
  @Text({ example: 'Support' }) title!: string;
  @Text({ min: 0, max: 1000, example: 'Hello! How can we help?' }) greeting!: string;
  @Text({ min: 0, max: 1000, example: 'We are away and will answer by e-mail.' }) away_message!: string;
  @Locale({ nullable: true, description: 'Language of the texts. Null: that of the browser.' }) locale!: string | null;
  @Embedded('WidgetThemeView') theme!: WidgetConfig['theme'];
  @Embedded('PreChatFormView') pre_chat_form!: WidgetConfig['pre_chat_form'];
  @Embedded('WidgetFeaturesView') features!: WidgetConfig['features'];
  @Choice(IDENTITY_MODES, {
    description: 'With `off`, an `external_id` opens a session without a proof. `optional` and `required` verify it.',
  })
  identity_verification!: IdentityMode;
  @Nested(() => AvailabilityView) availability!: AvailabilityView;
  @Nested(() => WidgetLimitsView) limits!: WidgetLimitsView;
}

export class PublicWidgetConfigView {
  @Text({ example: 'Web shop' }) channel_name!: string;
  @Nested(() => WidgetConfigView) widget_config!: WidgetConfigView;
}

/** Which fields are visible: see visitor-contact.ts. */
const VISIBILITY =
  'Also null if it is not visible: without proof of identity, only fields that this request set are visible in a new ' +
  'session and for an unverified contact with an `external_id`.';

export class VisitorContactView implements VisitorContactRecord {
  @Id() id!: string;
  @Text({ nullable, description: VISIBILITY, example: 'Vera Lindqvist' }) name!: string | null;
  @Email({ nullable, description: VISIBILITY }) email!: string | null;
  @Text({ nullable, max: 50, description: VISIBILITY, example: '+49 30 1234567' }) phone!: string | null;
  @Flag({ description: 'Whether an identity token proved the `external_id`.' }) verified!: boolean;
}

export class WidgetSessionView {
  @Text({ max: 4096, description: 'Visitor JWT, valid for 24 hours.', example: 'eyJhbGciOiJIUzI1NiIs…' })
  visitor_token!: string;
  @Integer() expires_in!: number;
  @Id() contact_id!: string;
  @Text({ example: 'Web shop' }) channel_name!: string;
  @Nested(() => WidgetConfigView) widget_config!: WidgetConfigView;
  @Nested(() => VisitorContactView) contact!: VisitorContactView;
}
