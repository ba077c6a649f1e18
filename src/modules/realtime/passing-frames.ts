import type { FrameText } from '../../kernel/frame-text.js';
import type { NO_DATA, PASSING_FRAMES } from './frames.js';
import type * as shapes from './frames.schema.js';

type Passing = typeof PASSING_FRAMES;
type Shape<T extends keyof Passing> = Exclude<Passing[T]['agent' | 'visitor'], null>;
type Shapes = typeof shapes;
type DataOf<S> = S extends keyof Shapes ? InstanceType<Shapes[S]> : S extends typeof NO_DATA ? undefined : never;

/** The conversation that a frame of the moment is about, and its channel. */
interface Place {
  conversation_id: string;
  channel_id: string;
}

/** Writes a frame of the moment, whose type and data are as the registry has them; another does not compile. */
export function passingFrame<T extends keyof Passing>(type: T, data: DataOf<Shape<T>>, place?: Place): FrameText {
  return JSON.stringify({ type, ...place, data }) as FrameText;
}

export const PONG = passingFrame('pong', undefined);
