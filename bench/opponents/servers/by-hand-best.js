import { Pool } from 'pg';
import { SEND_MANY } from '../plain-tables.js';
import { servePlain } from './plain-server.js';
import { Rooms } from './rooms.js';

/**
 * The same as by hand, with what else is known: messages that come while a statement is under way go into the next one
 * together, and the frames of one tick are written together, their bytes made once for all listeners of a room.
 */

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const MOST = 500;

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
    const batch = waiting.slice(0, MOST);
    waiting = waiting.slice(MOST);
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

/** By room, the frames of this tick. */
const pending = new Map();

function say(room, frame) {
  const frames = pending.get(room);
  if (frames) return void frames.push(frame);
  if (pending.size === 0) setImmediate(writeAll);
  pending.set(room, [frame]);
}

/** Past the socket's own `send`, which would write frame by frame; nothing else is ever sent to it. */
function writeAll() {
  for (const [room, frames] of pending) {
    const bytes = frames.length === 1 ? frames[0] : Buffer.concat(frames);
    for (const client of rooms.in(room)) client._socket.write(bytes);
  }
  pending.clear();
}

const server = servePlain(write, message => {
  const frame = textFrame(JSON.stringify({ type: 'message.created', data: { message } }));
  say(message.conversation_id, frame);
  say('inbox', frame);
});
const rooms = new Rooms(server);

/** A whole frame of a server's, of up to 65,535 bytes. */
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
