import type { EventType } from '../../kernel/domain-event.js';
import type { AgentRoom } from './event-routes.js';
import { EVENT_ROUTES } from './event-routes.js';
import type { FrameDefinition } from './frames.js';
import { CLIENT_FRAMES, EVENT_FRAMES, NO_DATA, EPHEMERAL_FRAMES } from './frames.js';

/** A frame as one audience knows it. */
export interface DocumentedFrame {
  type: string;
  summary: string;
  /** The name of its data's shape, or of its fields'; null for one that says all by its type. */
  shape: string | null;
  /** Of a durable one: whether it is about a conversation, a channel or the whole workspace; else null. */
  about: AgentRoom | null;
  /** Of one from clients: the type of the frame that answers it, if one does. */
  answer: string | null;
}

/** Every frame that an audience can hear, and every one that it can send; what documents are written from. */
export function framesFor(audience: 'agent' | 'visitor'): { heard: DocumentedFrame[]; said: DocumentedFrame[] } {
  const about = (type: string) => EVENT_ROUTES[type as EventType].agents?.room ?? null;
  return {
    heard: [...catalogued(EVENT_FRAMES, audience, about), ...catalogued(EPHEMERAL_FRAMES, audience)],
    said: catalogued(CLIENT_FRAMES, audience),
  };
}

function catalogued(
  frames: Record<string, FrameDefinition & { answer?: string }>,
  audience: 'agent' | 'visitor',
  about: (type: string) => AgentRoom | null = () => null,
): DocumentedFrame[] {
  return Object.entries(frames).flatMap(([type, { summary, [audience]: shape, answer = null }]) =>
    shape === null ? [] : [{ type, summary, shape: shape === NO_DATA ? null : shape, about: about(type), answer }],
  );
}
