import type { SerializedFrame } from '../../kernel/serialized-frame.js';

/**
 * A frame of text as a server writes it, header and all, made once however many sockets it goes to. A server masks
 * nothing, so the bytes are the same for each of them; leaving the header to `ws` costs an allocation and a second
 * write for every socket.
 */
export class TextFrame {
  private constructor(
    readonly bytes: Buffer,
    private readonly start: number,
  ) {}

  static of(text: SerializedFrame): TextFrame {
    const length = Buffer.byteLength(text);
    const start = length < 126 ? 2 : length < 65_536 ? 4 : 10;
    const bytes = Buffer.allocUnsafe(start + length);
    bytes[0] = 0x81; // the whole message, of text
    bytes[1] = start === 2 ? length : start === 4 ? 126 : 127;
    if (start === 4) bytes.writeUInt16BE(length, 2);
    if (start === 10) bytes.writeBigUInt64BE(BigInt(length), 2);
    bytes.write(text, start);
    return new TextFrame(bytes, start);
  }

  /** What is said, without the header. */
  get payload(): Buffer {
    return this.bytes.subarray(this.start);
  }
}
