import type { Availability } from '../availability/index.js';
import type { Channel, WidgetConfig } from '../channels/index.js';

/** Widget settings with current availability and limits. */
export interface WidgetConfigRecord extends WidgetConfig {
  availability: Availability;
  limits: { max_message_chars: number; max_attachment_bytes: number; allowed_mime_types: string[] };
}

const LIMITS = {
  max_message_chars: 20_000,
  max_attachment_bytes: 25 * 1024 * 1024,
  allowed_mime_types: ['image/*', 'audio/*', 'video/*', 'application/pdf', 'text/plain'],
};

/** The parts of the service that some features need. */
export interface Installed {
  /** A mail server is configured. */
  mail: boolean;
}

/** A feature is on only where it works. There is no store for attachments yet. */
export function toWidgetConfigRecord(
  { widgetConfig, csatEnabled }: Channel,
  availability: Availability,
  { mail }: Installed,
): WidgetConfigRecord {
  const { features } = widgetConfig;
  return {
    ...widgetConfig,
    features: {
      ...features,
      attachments: false,
      csat: features.csat && csatEnabled,
      transcript: features.transcript && mail,
    },
    availability,
    limits: LIMITS,
  };
}
