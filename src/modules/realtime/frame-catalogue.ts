import type { AgentRoom, AgentView, EventDefinition } from '../../kernel/event-definition.js';
import type { EventType } from '../../kernel/domain-event.js';
import { EventRegistry } from '../../kernel/event-registry.js';
import type { FrameDefinition } from './frames.js';
import { CLIENT_FRAMES, EPHEMERAL_FRAMES, NO_DATA } from './frames.js';

/** A frame as documented for one audience. */
export interface DocumentedFrame {
  type: string;
  summary: string;
  /** The name of its data's schema, or of its fields'; null for one without data. */
  schemaName: string | null;
  /** For a durable frame, whether it is about a conversation, a channel or the whole workspace; else null. */
  about: AgentRoom | null;
  /** A durable frame whose type is also one of ephemeral frames. */
  alsoEphemeral: boolean;
  /** For a client's frame, the type of the frame that answers it; else null. */
  answer: string | null;
}

/** The frames of durable events. They carry `id` and `cursor`; each stands for an event that was committed. */
export function eventFramesOf(registry: EventRegistry): Record<string, FrameDefinition> {
  const frameOf = ({ summary, agents, visitor }: EventDefinition<EventType>): FrameDefinition => ({
    summary,
    agent: agents?.shape ?? null,
    visitor: visitor?.shape ?? null,
  });
  return Object.fromEntries(registry.types.map(type => [type, frameOf(registry.get(type))]));
}

/** Every frame that an audience can receive, and every one that it can send; documents are written from it. */
export function framesFor(
  registry: EventRegistry,
  audience: 'agent' | 'visitor',
): { received: DocumentedFrame[]; sent: DocumentedFrame[] } {
  const agentsOf = (type: string) => registry.get(type as EventType).agents ?? null;
  return {
    received: [...documented(eventFramesOf(registry), audience, agentsOf), ...documented(EPHEMERAL_FRAMES, audience)],
    sent: documented(CLIENT_FRAMES, audience),
  };
}

function documented(
  frames: Record<string, FrameDefinition & { answer?: string }>,
  audience: 'agent' | 'visitor',
  agentsOf: (type: string) => Pick<AgentView<EventType>, 'room' | 'alsoEphemeral'> | null = () => null,
): DocumentedFrame[] {
  return Object.entries(frames).flatMap(([type, { summary, [audience]: schemaName, answer = null }]) =>
    schemaName === null
      ? []
      : [
          {
            type,
            summary,
            schemaName: schemaName === NO_DATA ? null : schemaName,
            about: agentsOf(type)?.room ?? null,
            alsoEphemeral: agentsOf(type)?.alsoEphemeral ?? false,
            answer,
          },
        ],
  );
}
