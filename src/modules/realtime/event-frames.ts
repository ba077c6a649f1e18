import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { SerializedFrame } from '../../kernel/serialized-frame.js';
import type { ResumeFault } from '../../platform/events/event-reader.service.js';
import { ephemeralFrame } from './ephemeral-frames.js';

/** A durable event, one frame; what all frames of the event have in common, and what this audience is told. */
export function eventFrame(event: RecordedEvent, data: object): EventFrame {
  return {
    type: event.type,
    id: event.id,
    timestamp: event.recordedAt,
    ...(event.conversationId ? { conversation_id: event.conversationId } : {}),
    ...(event.channelId ? { channel_id: event.channelId } : {}),
    data,
  };
}

export interface EventFrame {
  type: string;
  id: string;
  timestamp: string;
  conversation_id?: string;
  channel_id?: string;
  data: object;
}

/** @param cursor how far whoever hears this has come in the log; not how far the event is */
export function serializeFrame(frame: EventFrame, cursor: string): SerializedFrame {
  const { type, id, ...rest } = frame;
  return JSON.stringify({ type, id, cursor, ...rest }) as SerializedFrame;
}

/** What was missed cannot be told; the client reads the present state. */
export function syncRequired(reason: ResumeFault | 'scope' | 'busy'): SerializedFrame {
  return ephemeralFrame('sync.required', { reason });
}
