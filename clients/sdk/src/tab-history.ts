import { cursorAfter, type AnyFrame } from './live-stream.js';

/** Entries of an inactive tab's history are few; an active one may have those of some minutes. */
const CAPACITY = 500;

/** The latest frames of a stream, each with the cursor after it, for tabs that have lost some. */
export class TabHistory {
  private readonly entries: { cursor: string | undefined; frame: AnyFrame; id: string | undefined }[] = [];
  private droppedCursor: string | undefined;

  /** Records a frame that moves the cursor, or after which tabs must read the present state. */
  record(frame: AnyFrame, before: string | undefined): void {
    const cursor = cursorAfter(frame);
    if (frame.type === 'sync.required') this.add(before, frame);
    else if (cursor !== undefined) this.add(cursor, idOf(frame) === undefined ? undefined : frame);
  }

  /** Records that the stream has reached the cursor. @param id of an event whose frame is not known here */
  add(cursor: string | undefined, frame: AnyFrame = { type: '', cursor }, id = idOf(frame)): void {
    if (this.entries.push({ cursor, frame, id }) > CAPACITY) this.droppedCursor = this.entries.shift()?.cursor;
  }

  /**
   * Returns all frames after the cursor, and maybe some before: several may have the same one. An entry without a type has
   * only the cursor that the stream has reached: the events of a resume have the cursor from which it began.
   * @returns undefined if some of them are unknown
   */
  since(cursor: string | undefined): AnyFrame[] | undefined {
    const index = this.entries.findIndex(entry => entry.cursor === cursor);
    if (index < 0 || cursor === this.droppedCursor) return undefined;
    const later = this.entries.slice(index + 1);
    const known = new Set(later.map(({ frame }) => idOf(frame)));
    return later.every(({ id }) => known.has(id)) ? later.map(({ frame }) => frame) : undefined;
  }

  /** Ids of the events that a socket from the cursor on would receive again. */
  seenSince(cursor: string | undefined): string[] {
    const index = this.entries.findIndex(entry => entry.cursor === cursor);
    return index < 0 ? [] : this.entries.slice(index).flatMap(({ id }) => id ?? []);
  }
}

function idOf({ id }: AnyFrame): string | undefined {
  return typeof id === 'string' ? id : undefined;
}
