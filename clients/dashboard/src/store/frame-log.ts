import type { AgentFrames } from '@support-chat/sdk';

/** A frame of `/ws/agent`; `type` narrows `data`. */
export type AgentFrame = AgentFrames[keyof AgentFrames];

/** A frame of `/ws/agent`, except `error`. */
export type EventFrame = AgentFrames[Exclude<keyof AgentFrames, 'error'>];

/** True for an event of the log; all other frames are ephemeral. */
export function isLogged<F extends AgentFrame>(frame: F): frame is F & { id: string } {
  return 'id' in frame && frame.id !== undefined;
}

/** A frame of the event log, with the position at which it was received. */
export interface LoggedFrame {
  position: number;
  frame: EventFrame & { id: string };
}

/** Number of frames that are kept. A response that took longer than these is read again. */
const CAPACITY = 4_000;

/**
 * The latest frames of the event log, by the conversation that they change. A response describes a state
 * after its request began, so frames since then are applied to it again.
 */
export class FrameLog {
  private readonly ring: LoggedFrame[] = [];
  private readonly ids = new Set<string>();
  private readonly byConversation = new Map<string, LoggedFrame[]>();
  /** Positions before which the frames of a conversation were freed. */
  private readonly forgottenAt = new Map<string, number>();
  private position = 0;
  private start = 0;

  /** The current position. It rises with each frame and each response. */
  get mark(): number {
    return this.position;
  }

  /** Moves the position, so that a later request is recognised as such. */
  advance(): number {
    return ++this.position;
  }

  /** @returns false if the frame was received before */
  add(frame: EventFrame & { id: string }, conversationId: string | undefined): boolean {
    if (this.ids.has(frame.id)) return false;
    const logged = { position: this.advance(), frame };
    this.ids.add(frame.id);
    this.forgetOldIds();
    this.ring.push(logged);
    if (conversationId !== undefined) {
      const frames = this.byConversation.get(conversationId);
      if (frames) frames.push(logged);
      else this.byConversation.set(conversationId, [logged]);
    }
    if (this.ring.length > CAPACITY) this.evict(CAPACITY / 2);
    return true;
  }

  /** True if all frames after `mark` are kept: all, or those of a conversation. */
  reachesBackTo(mark: number, conversationId?: string): boolean {
    const start = conversationId === undefined ? undefined : this.forgottenAt.get(conversationId);
    return mark >= Math.max(this.start, start ?? 0);
  }

  /** Frames of a conversation after `mark`, in the order of their arrival. */
  since(mark: number, conversationId: string): EventFrame[] {
    const frames = this.byConversation.get(conversationId) ?? [];
    return frames.filter(({ position }) => position > mark).map(({ frame }) => frame);
  }

  /** Time of the newest frame of a conversation up to `mark`; empty if none is kept. */
  newestAt(mark: number, conversationId: string): string {
    const frames = this.byConversation.get(conversationId) ?? [];
    let newest = '';
    for (const { position, frame } of frames) {
      if (position <= mark && frame.timestamp && frame.timestamp > newest) newest = frame.timestamp;
    }
    return newest;
  }

  /** Conversations of which frames are kept. */
  conversationIds(): string[] {
    return [...this.byConversation.keys()];
  }

  /** Frees the frames of a conversation. Their ids stay known. */
  forget(conversationId: string): void {
    const forgotten = new Set(this.byConversation.get(conversationId));
    if (forgotten.size === 0) return;
    this.forgottenAt.set(conversationId, this.advance());
    this.byConversation.delete(conversationId);
    this.ring.splice(0, this.ring.length, ...this.ring.filter(logged => !forgotten.has(logged)));
  }

  /** Forgets all frames: they belong to another history of the service. */
  clear(): void {
    this.ring.length = 0;
    this.byConversation.clear();
    this.forgottenAt.clear();
    this.start = this.advance();
  }

  /** Ids are kept for longer than frames, also across `clear`: a resume may repeat what came before. */
  private forgetOldIds(): void {
    if (this.ids.size <= 4 * CAPACITY) return;
    for (const id of [...this.ids].slice(0, 2 * CAPACITY)) this.ids.delete(id);
  }

  private evict(count: number): void {
    const evicted = this.ring.splice(0, count);
    const last = evicted.at(-1)!.position;
    this.start = last;
    for (const [conversationId, frames] of this.byConversation) {
      if (frames[0]!.position > last) continue;
      const kept = frames.filter(({ position }) => position > last);
      if (kept.length > 0) this.byConversation.set(conversationId, kept);
      else this.byConversation.delete(conversationId);
    }
  }
}
