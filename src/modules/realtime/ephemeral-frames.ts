import type { SerializedFrame } from '../../kernel/serialized-frame.js';
import type { NO_DATA, EPHEMERAL_FRAMES } from './frames.js';
import type * as schemas from './frames.schema.js';

type Ephemeral = typeof EPHEMERAL_FRAMES;
type SchemaName<T extends keyof Ephemeral> = Exclude<Ephemeral[T]['agent' | 'visitor'], null>;
type Schemas = typeof schemas;
type DataOf<S> = S extends keyof Schemas ? InstanceType<Schemas[S]> : S extends typeof NO_DATA ? undefined : never;

/** The conversation that an ephemeral frame concerns, and its channel. */
interface ConversationScope {
  conversation_id: string;
  channel_id: string;
}

/** Serializes an ephemeral frame. Its type and data must match `EPHEMERAL_FRAMES`, or it does not compile. */
export function ephemeralFrame<T extends keyof Ephemeral>(
  type: T,
  data: DataOf<SchemaName<T>>,
  scope?: ConversationScope,
): SerializedFrame {
  return JSON.stringify({ type, ...scope, data }) as SerializedFrame;
}

export const PONG = ephemeralFrame('pong', undefined);
