import { Pool } from 'pg';
import { SEND_MANY } from '../plain-tables.js';
import { servePlain } from './plain-server.js';
import { Rooms } from './rooms.js';

/**
 * The hand-written server with two optimisations: messages that arrive while a statement runs share the next one, and
 * the frames of one tick are written together, with their bytes built once per room.
 */

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const MAX_BATCH = 500;

let waiting = [];
let busy = false;

function write(conversation, sender, content) {
  return new Promise((done, failed) => {
    waiting.push({ conversation, sender, content, done, failed });
    if (!busy) void flush();
  });
}

async function flush() {
  busy = true;
  while (waiting.length > 0) {
    const batch = waiting.slice(0, MAX_BATCH);
    waiting = waiting.slice(MAX_BATCH);
    const column = name => batch.map(item => item[name]);
    const values = [column('conversation'), column('sender'), column('content')];
    try {
      const { rows } = await pool.query({ name: 'send-many', text: SEND_MANY, values });
      batch.forEach(({ done }, index) => done(rows[index]));
    } catch (error) {
      for (const { failed } of batch) failed(error);
    }
  }
  busy = false;
}

/** Frames of this tick, by room. */
const pending = new Map();

function send(room, frame) {
  const frames = pending.get(room);
  if (frames) return void frames.push(frame);
  if (pending.size === 0) setImmediate(writeAll);
  pending.set(room, [frame]);
}

/** Bypasses the socket's `send`, which would write frame by frame. Nothing else writes to the socket. */
function writeAll() {
  for (const [room, frames] of pending) {
    const bytes = frames.length === 1 ? frames[0] : Buffer.concat(frames);
    for (const client of rooms.in(room)) client._socket.write(bytes);
  }
  pending.clear();
}

const server = servePlain(write, message => {
  const frame = textFrame(JSON.stringify({ type: 'message.created', data: { message } }));
  send(message.conversation_id, frame);
  send('inbox', frame);
});
const rooms = new Rooms(server);

/** Builds a server frame of up to 65,535 bytes. */
function textFrame(text) {
  const length = Buffer.byteLength(text);
  const start = length < 126 ? 2 : 4;
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = 0x81;
  if (start === 2) frame[1] = length;
  else {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  }
  frame.write(text, start);
  return frame;
}
