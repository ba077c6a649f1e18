/**
 * Who has heard which message, and how long it took. Every message says its number first thing in its content, which
 * every server passes on as it came: that is how a listener knows what it hears, whoever says it.
 */

const MARK = Buffer.from('"content":"@');
const FILLER = ' Thank you for waiting; I have looked at your order and the parcel is on its way to you.';
const ROOM = 1 << 20;

export class Tally {
  sentAt = new Float64Array(ROOM);
  heard = new Uint16Array(ROOM);
  next = 0;
  frames = 0;
  lastFrameAt = 0;
  delivery = [];
  /** Of so many deliveries one is timed: a million of them need not all be kept. */
  stride = 1;

  /** @param since when it was due, by `performance.now()` @returns what the next message says */
  content(since) {
    const id = this.next++;
    this.sentAt[id % ROOM] = since;
    this.heard[id % ROOM] = 0;
    return `@${id}${FILLER}`;
  }

  /** A text frame, which may be of something else, or of several messages. */
  hear(data, start, end) {
    for (let at = start; ;) {
      at = data.indexOf(MARK, at) + MARK.length;
      if (at < MARK.length || at >= end) return;
      let id = 0;
      for (; data[at] >= 0x30 && data[at] <= 0x39; at += 1) id = id * 10 + data[at] - 0x30;
      const now = performance.now();
      this.heard[id % ROOM] += 1;
      this.lastFrameAt = now;
      if (this.frames++ % this.stride === 0) this.delivery.push(now - this.sentAt[id % ROOM]);
    }
  }

  /** Begins to count anew. @param stride one delivery of so many is timed */
  begin(stride) {
    this.from = this.next;
    this.frames = 0;
    this.delivery = [];
    this.stride = Math.max(1, stride);
  }

  /** How many deliveries lack since `begin`, and how many were one too many. @param each listeners of a message */
  lacking(each) {
    let [missing, repeated] = [0, 0];
    for (let id = this.from; id < this.next; id += 1) {
      const off = each - this.heard[id % ROOM];
      if (off > 0) missing += off;
      else repeated -= off;
    }
    return { missing, repeated };
  }
}
