import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { SerializedFrame } from '../../kernel/serialized-frame.js';
import type { ResumeFault } from '../../platform/events/event-reader.service.js';
import { ephemeralFrame } from './ephemeral-frames.js';

/** Builds the frame of a durable event. @param data for the audience */
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

/** @param cursor the recipient's position in the log, which is not the event's position */
export function serializeFrame(frame: EventFrame, cursor: string): SerializedFrame {
  const { type, id, ...rest } = frame;
  return JSON.stringify({ type, id, cursor, ...rest }) as SerializedFrame;
}

/** Tells a client that missed events cannot be replayed, so that it reads the current state. */
export function syncRequired(reason: ResumeFault | 'scope' | 'busy'): SerializedFrame {
  return ephemeralFrame('sync.required', { reason });
}
