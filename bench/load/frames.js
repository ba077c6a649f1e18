/**
 * Reads unmasked WebSocket frames of a server from chunks of any size. Minimal, so that the load generator is not the
 * bottleneck.
 */
export class FrameReader {
  rest = null;

  /** @param onFrame called with each complete frame: opcode, buffer, start and end of the payload */
  constructor(onFrame) {
    this.onFrame = onFrame;
  }

  read(chunk) {
    const data = this.rest === null ? chunk : Buffer.concat([this.rest, chunk]);
    this.rest = null;
    let at = 0;
    while (at < data.length) {
      const end = this.frame(data, at);
      if (end < 0) {
        // a copy, because the next read reuses the buffer
        this.rest = Buffer.from(data.subarray(at));
        return;
      }
      at = end;
    }
  }

  /** @returns the offset of the frame's end, or -1 if it is incomplete */
  frame(data, at) {
    if (data.length - at < 2) return -1;
    const short = data[at + 1] & 0x7f;
    let start = at + 2;
    let length = short;
    if (short === 126) {
      if (data.length - at < 4) return -1;
      length = data.readUInt16BE(at + 2);
      start = at + 4;
    } else if (short === 127) {
      if (data.length - at < 10) return -1;
      length = Number(data.readBigUInt64BE(at + 2));
      start = at + 10;
    }
    const end = start + length;
    if (end > data.length) return -1;
    this.onFrame(data[at] & 0x0f, data, start, end);
    return end;
  }
}

/** Builds a client frame of up to 65,535 bytes. Its mask is zero, so the payload is unchanged. */
export function clientFrame(opcode, payload) {
  const bytes = Buffer.from(payload);
  const head =
    bytes.length < 126
      ? [0x80 | opcode, 0x80 | bytes.length]
      : [0x80 | opcode, 0x80 | 126, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), bytes]);
}
