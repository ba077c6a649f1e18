import type { EventType } from '../../kernel/domain-event.js';
import type { AgentRoom } from './event-routes.js';
import { EVENT_ROUTES } from './event-routes.js';
import type { FrameDefinition } from './frames.js';
import { CLIENT_FRAMES, EVENT_FRAMES, NO_DATA, EPHEMERAL_FRAMES } from './frames.js';

/** A frame as documented for one audience. */
export interface DocumentedFrame {
  type: string;
  summary: string;
  /** The schema name of its data, or of a client frame's fields; null for a frame without data. */
  schemaName: string | null;
  /** The subject of a durable event; null for other frames. */
  about: AgentRoom | null;
  /** The type of the frame that answers a client frame; null if none does. */
  answer: string | null;
}

/** Lists the frames that an audience can receive and send, for the generated documents. */
export function framesFor(audience: 'agent' | 'visitor'): { received: DocumentedFrame[]; sent: DocumentedFrame[] } {
  const about = (type: string) => EVENT_ROUTES[type as EventType].agents?.room ?? null;
  return {
    received: [...listFrames(EVENT_FRAMES, audience, about), ...listFrames(EPHEMERAL_FRAMES, audience)],
    sent: listFrames(CLIENT_FRAMES, audience),
  };
}

function listFrames(
  frames: Record<string, FrameDefinition & { answer?: string }>,
  audience: 'agent' | 'visitor',
  about: (type: string) => AgentRoom | null = () => null,
): DocumentedFrame[] {
  return Object.entries(frames).flatMap(([type, { summary, [audience]: schemaName, answer = null }]) =>
    schemaName === null
      ? []
      : [{ type, summary, schemaName: schemaName === NO_DATA ? null : schemaName, about: about(type), answer }],
  );
}
