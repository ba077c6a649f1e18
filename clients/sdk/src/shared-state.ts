import { isRecord } from './envelope.js';
import type { AnyFrame } from './live-stream.js';

/** The frames that the service sends after `connected` to show the present state, and the field that tells them apart. */
const SNAPSHOT_KEYS: Readonly<Record<string, string>> = {
  'presence.updated': 'subject_id',
  'viewing.updated': 'conversation_id',
};

/** The leader's copy of what the service showed it, for tabs that join later. */
export class SharedState {
  connected: AnyFrame | undefined;
  private readonly frames = new Map<string, AnyFrame>();

  get snapshot(): Iterable<AnyFrame> {
    return this.frames.values();
  }

  record(frame: AnyFrame): void {
    const { type, data } = frame;
    if (type === 'connected') {
      this.connected = frame;
      this.frames.clear();
    }
    const key = SNAPSHOT_KEYS[type];
    if (key === undefined || !isRecord(data)) return;
    const id = `${type} ${String(data[key])}`;
    // A tab treats everyone as offline of whom it has no frame.
    if (data['status'] === 'offline') this.frames.delete(id);
    else this.frames.set(id, frame);
  }
}
