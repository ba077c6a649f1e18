import type { OpeningCache } from './opening-cache.js';
import { toWireTimeOrNull } from '../../kernel/clock.js';
import type { Channel, WidgetConfig } from '../channels/index.js';
import type { Workspace } from '../workspaces/index.js';

/** Widget settings with current availability and limits. */
export interface WidgetConfigRecord extends WidgetConfig {
  availability: { online: boolean; within_business_hours: boolean; next_open_at: string | null };
  limits: { max_message_chars: number; max_attachment_bytes: number; allowed_mime_types: string[] };
}

const LIMITS = {
  max_message_chars: 20_000,
  max_attachment_bytes: 25 * 1024 * 1024,
  allowed_mime_types: ['image/*', 'audio/*', 'video/*', 'application/pdf', 'text/plain'],
};

/** @param online whether a member who sees the channel is online */
export function toWidgetConfigRecord(
  channel: Channel,
  workspace: Workspace,
  online: boolean,
  openings: OpeningCache,
  now: Date,
): WidgetConfigRecord {
  const hours = channel.businessHours ?? workspace.businessHours;
  const { open, changesAt } = openings.get(hours, workspace.timezone, now);
  const { widgetConfig } = channel;
  return {
    ...widgetConfig,
    features: { ...widgetConfig.features, csat: widgetConfig.features.csat && channel.csatEnabled },
    availability: {
      online,
      within_business_hours: open,
      next_open_at: toWireTimeOrNull(open ? null : changesAt),
    },
    limits: LIMITS,
  };
}
