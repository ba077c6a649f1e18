import { Pool } from 'pg';
import { SEND } from '../plain-tables.js';
import { servePlain } from './plain-server.js';
import { Rooms } from './rooms.js';

/** One prepared statement per message, one serialisation per broadcast, and one `send` per socket. */

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

const write = async (conversation, sender, content) => {
  const { rows } = await pool.query({ name: 'send', text: SEND, values: [conversation, sender, content] });
  return rows[0];
};

const server = servePlain(write, message => {
  const frame = JSON.stringify({ type: 'message.created', data: { message } });
  for (const client of rooms.in(message.conversation_id)) client.send(frame);
  for (const client of rooms.in('inbox')) client.send(frame);
});
const rooms = new Rooms(server);
