import type { Availability } from '../availability/index.js';
import type { Channel, IdentityMode, WidgetConfig } from '../channels/index.js';

/** Widget settings, with the channel's demands on identities, its current availability, and limits. */
export interface WidgetConfigRecord extends WidgetConfig {
  identity_verification: IdentityMode;
  availability: Availability;
  limits: { max_message_chars: number; max_attachment_bytes: number; allowed_mime_types: string[] };
}

const MAX_MESSAGE_CHARS = 20_000;

/** The parts of the service that some features need. */
export interface Installed {
  /** A mail server is configured. */
  mail: boolean;
  /** Files can be stored. */
  files: boolean;
}

/** A feature is on only where it works. */
export function toWidgetConfigRecord(
  { widgetConfig, csatEnabled, identityVerification, attachments }: Channel,
  availability: Availability,
  { mail, files }: Installed,
): WidgetConfigRecord {
  const { features } = widgetConfig;
  return {
    ...widgetConfig,
    features: {
      ...features,
      attachments: features.attachments && files,
      csat: features.csat && csatEnabled,
      transcript: features.transcript && mail,
    },
    identity_verification: identityVerification,
    availability,
    limits: {
      max_message_chars: MAX_MESSAGE_CHARS,
      max_attachment_bytes: attachments.max_bytes,
      allowed_mime_types: attachments.mime_types,
    },
  };
}
