/**
 * Counts deliveries and measures their latency. Every message starts with its number, and every server forwards the
 * content unchanged, so a received frame identifies its message.
 */

const MARK = Buffer.from('"content":"@');
const FILLER = ' Thank you for waiting; I have looked at your order and the parcel is on its way to you.';
const ROOM = 1 << 20;

export class Tally {
  sentAt = new Float64Array(ROOM);
  received = new Uint16Array(ROOM);
  next = 0;
  frames = 0;
  lastFrameAt = 0;
  delivery = [];
  /** One of `stride` deliveries is timed, so that memory stays small. */
  stride = 1;

  /** @param since when the message was due, by `performance.now()` @returns the content of the next message */
  content(since) {
    const id = this.next++;
    this.sentAt[id % ROOM] = since;
    this.received[id % ROOM] = 0;
    return `@${id}${FILLER}`;
  }

  /** Counts the messages in a text frame, which may contain none or several. */
  receive(data, start, end) {
    for (let at = start; ;) {
      at = data.indexOf(MARK, at) + MARK.length;
      if (at < MARK.length || at >= end) return;
      let id = 0;
      for (; data[at] >= 0x30 && data[at] <= 0x39; at += 1) id = id * 10 + data[at] - 0x30;
      const now = performance.now();
      this.received[id % ROOM] += 1;
      this.lastFrameAt = now;
      if (this.frames++ % this.stride === 0) this.delivery.push(now - this.sentAt[id % ROOM]);
    }
  }

  /** Resets the counts. @param stride one of `stride` deliveries is timed */
  begin(stride) {
    this.from = this.next;
    this.frames = 0;
    this.delivery = [];
    this.stride = Math.max(1, stride);
  }

  /** Returns missing and repeated deliveries since `begin`. @param each receivers of a message */
  lacking(each) {
    let [missing, repeated] = [0, 0];
    for (let id = this.from; id < this.next; id += 1) {
      const off = each - this.received[id % ROOM];
      if (off > 0) missing += off;
      else repeated -= off;
    }
    return { missing, repeated };
  }
}
