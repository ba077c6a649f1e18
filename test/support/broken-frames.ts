import type { RawFrame } from './raw-socket.js';
import { closeBytes, OPCODE } from './raw-socket.js';

const { text: TEXT, continuation, binary, close, ping, pong } = OPCODE;
const PING = '{"type":"ping"}';
const BAD_UTF8 = Buffer.from([0x22, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x22]);

/** Description, frames to send, and the close code the server answers with. */
export type BrokenFrames = [what: string, frames: (RawFrame | Buffer)[], code: number];

const text = (payload: Buffer | string, more: Partial<RawFrame> = {}): RawFrame => ({ opcode: TEXT, payload, ...more });

function each<T>(values: readonly T[], one: (value: T) => BrokenFrames): BrokenFrames[] {
  return values.map(one);
}

/** Frames that the protocol or the service forbids. Each one closes its own socket and no other. */
export const BROKEN_FRAMES: readonly BrokenFrames[] = [
  ['an unmasked text', [text(PING, { masked: false })], 1002],
  ['an unmasked ping', [{ opcode: ping, masked: false }], 1002],
  ['an unmasked close', [{ opcode: close, masked: false, payload: Buffer.from([3, 0xe8]) }], 1002],
  ...each([1, 2, 4, 7], reserved => [`reserved bits ${reserved}`, [text(PING, { reserved })], 1002]),
  ['reserved bits of a ping', [{ opcode: ping, reserved: 4 }], 1002],
  ...each([3, 4, 5, 6, 7, 11, 12, 13, 14, 15], opcode => [`the reserved opcode ${opcode}`, [{ opcode }], 1002]),
  ['a compressed frame without negotiation', [text('\u00aa\u0056', { reserved: 4 })], 1002],
  ...each([close, ping, pong], opcode => [`control ${opcode} in fragments`, [{ opcode, fin: false }], 1002]),
  ...each([close, ping, pong], opcode => [
    `control ${opcode} of 126 bytes`,
    [{ opcode, payload: Buffer.concat([Buffer.from([3, 0xe8]), Buffer.alloc(124, 'x')]) }],
    1002,
  ]),
  ['a ping whose length takes 64 bits', [{ opcode: ping, claims: 4n }], 1002],
  ['a continuation without a message', [{ opcode: continuation, payload: PING }], 1002],
  ['a continuation of a finished message', [text(PING), { opcode: continuation, payload: PING }], 1002],
  ['a text frame inside a fragmented text', [text('{"type":', { fin: false }), text(PING)], 1002],
  [
    'a binary frame inside a fragmented text',
    [text('{"type":', { fin: false }), { opcode: binary, payload: 'x' }],
    1002,
  ],
  ['invalid UTF-8', [text(BAD_UTF8)], 1007],
  [
    'invalid UTF-8 in fragments',
    [text(BAD_UTF8.subarray(0, 2), { fin: false }), { opcode: continuation, payload: '(' }],
    1007,
  ],
  ['half a character at the end of a text', [text(Buffer.from([0xf0, 0x9f, 0x92]))], 1007],
  ['a UTF-8 encoded surrogate', [text(Buffer.from([0x22, 0xed, 0xa0, 0xbd, 0x22]))], 1007],
  ['a character beyond U+10FFFF', [text(Buffer.from([0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]))], 1007],
  ['a frame of 2⁶³ bytes', [text(PING, { claims: 2n ** 63n })], 1009],
  ['a frame of 2⁶⁴ − 1 bytes', [text(PING, { claims: 2n ** 64n - 1n })], 1009],
  ['a frame of 2⁵³ bytes', [text(PING, { claims: 2n ** 53n })], 1009],
  ['a frame that claims to be over 64 KiB', [text(PING, { claims: 65_537n })], 1009],
  ['a frame of 64 KiB and one byte', [text('x'.repeat(65_537))], 1009],
  [
    'a message of more than 64 KiB in fragments',
    [text('x'.repeat(40_000), { fin: false }), { opcode: continuation, payload: 'x'.repeat(40_000) }],
    1009,
  ],
  ['half of a close code', [closeBytes(null)], 1002],
  ...each([0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535], code => [
    `the close code ${code}`,
    [closeBytes(code)],
    1002,
  ]),
  ['a close reason of invalid UTF-8', [closeBytes(1000, BAD_UTF8)], 1007],
  ['a flood of pings', Array.from({ length: 500 }, () => ({ opcode: ping, payload: 'x'.repeat(125) })), 4008],
  ['a flood of empty fragments', [text('', { fin: false }), ...crumbs(70_000)], 1008],
];

function crumbs(count: number): Buffer[] {
  const one = Buffer.from([0, 0x80, 0, 0, 0, 0]);
  return [Buffer.concat(Array.from({ length: count }, () => one))];
}
