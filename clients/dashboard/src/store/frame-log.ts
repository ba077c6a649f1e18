import type { AgentFrames } from '@support-chat/sdk';

/** A frame of `/ws/agent`; `type` narrows `data`. */
export type AgentFrame = AgentFrames[keyof AgentFrames];

/** A frame of the event log, with the position at which it was received. */
export interface LoggedFrame {
  position: number;
  frame: AgentFrame & { id: string };
}

/** Number of frames that are kept. A response that took longer than these is read again. */
const CAPACITY = 4_000;

/**
 * The latest frames of the event log, by the conversation or contact that they change. A response describes a state
 * after its request began, so frames since then are applied to it again.
 */
export class FrameLog {
  private readonly ring: LoggedFrame[] = [];
  private readonly ids = new Set<string>();
  private readonly bySubject = new Map<string, LoggedFrame[]>();
  private position = 0;
  private first = 0;

  /** The current position. It rises with each frame and each response. */
  get mark(): number {
    return this.position;
  }

  /** All frames after this position are kept. */
  get start(): number {
    return this.first;
  }

  /** Moves the position, so that a later request is recognised as such. */
  advance(): number {
    return ++this.position;
  }

  /** @returns false if the frame was received before */
  add(frame: AgentFrame & { id: string }, subjectId: string | undefined): boolean {
    if (this.ids.has(frame.id)) return false;
    const logged = { position: this.advance(), frame };
    this.ids.add(frame.id);
    this.ring.push(logged);
    if (subjectId !== undefined) {
      const frames = this.bySubject.get(subjectId);
      if (frames) frames.push(logged);
      else this.bySubject.set(subjectId, [logged]);
    }
    if (this.ring.length > CAPACITY) this.evict(CAPACITY / 2);
    return true;
  }

  /** True if all frames after `mark` are kept. */
  reachesBackTo(mark: number): boolean {
    return mark >= this.first;
  }

  /** Frames of a conversation or contact after `mark`, in the order of their arrival. */
  since(mark: number, subjectId: string): AgentFrame[] {
    const frames = this.bySubject.get(subjectId) ?? [];
    return frames.filter(({ position }) => position > mark).map(({ frame }) => frame);
  }

  /** Frees the frames of an erased person. Their ids stay known. */
  forget(subjectId: string): void {
    const forgotten = new Set(this.bySubject.get(subjectId));
    if (forgotten.size === 0) return;
    this.bySubject.delete(subjectId);
    this.ring.splice(0, this.ring.length, ...this.ring.filter(logged => !forgotten.has(logged)));
  }

  /** Forgets all frames: they belong to another history of the service. */
  clear(): void {
    this.ring.length = 0;
    this.ids.clear();
    this.bySubject.clear();
    this.first = this.advance();
  }

  private evict(count: number): void {
    const evicted = this.ring.splice(0, count);
    const last = evicted.at(-1)!.position;
    this.first = last;
    for (const { frame } of evicted) this.ids.delete(frame.id);
    for (const [subjectId, frames] of this.bySubject) {
      if (frames[0]!.position > last) continue;
      const kept = frames.filter(({ position }) => position > last);
      if (kept.length > 0) this.bySubject.set(subjectId, kept);
      else this.bySubject.delete(subjectId);
    }
  }
}
