import type { SerializedFrame } from '../../kernel/serialized-frame.js';

/**
 * An encoded WebSocket text frame with its header, encoded once for all recipients. Server frames are not masked, so
 * the bytes are the same for every socket; `ws` would allocate and write a header for each socket.
 */
export class TextFrame {
  private constructor(
    readonly bytes: Buffer,
    private readonly start: number,
  ) {}

  static fromText(text: SerializedFrame): TextFrame {
    const length = Buffer.byteLength(text);
    const start = length < 126 ? 2 : length < 65_536 ? 4 : 10;
    const bytes = Buffer.allocUnsafe(start + length);
    bytes[0] = 0x81; // FIN, opcode text
    bytes[1] = start === 2 ? length : start === 4 ? 126 : 127;
    if (start === 4) bytes.writeUInt16BE(length, 2);
    if (start === 10) bytes.writeBigUInt64BE(BigInt(length), 2);
    bytes.write(text, start);
    return new TextFrame(bytes, start);
  }

  /** The text's bytes, without the header. */
  get payload(): Buffer {
    return this.bytes.subarray(this.start);
  }
}
