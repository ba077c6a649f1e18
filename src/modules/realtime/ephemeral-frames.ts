import type { SerializedFrame } from '../../kernel/serialized-frame.js';
import type { NO_DATA, EPHEMERAL_FRAMES } from './frames.js';
import type * as shapes from './frames.schema.js';

type Ephemeral = typeof EPHEMERAL_FRAMES;
type Shape<T extends keyof Ephemeral> = Exclude<Ephemeral[T]['agent' | 'visitor'], null>;
type Shapes = typeof shapes;
type DataOf<S> = S extends keyof Shapes ? InstanceType<Shapes[S]> : S extends typeof NO_DATA ? undefined : never;

/** The conversation that a frame of the moment is about, and its channel. */
interface ConversationScope {
  conversation_id: string;
  channel_id: string;
}

/** Writes a frame of the moment, whose type and data are as the registry has them; another does not compile. */
export function ephemeralFrame<T extends keyof Ephemeral>(
  type: T,
  data: DataOf<Shape<T>>,
  place?: ConversationScope,
): SerializedFrame {
  return JSON.stringify({ type, ...place, data }) as SerializedFrame;
}

export const PONG = ephemeralFrame('pong', undefined);
