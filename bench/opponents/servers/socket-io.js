import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { Server } from 'socket.io';
import { SEND } from '../plain-tables.js';
import { verifyToken } from '../tokens.js';
import { servePlain } from './plain-server.js';

/**
 * socket.io with the HTTP server and statement of the hand-written server, so that only socket.io differs. With
 * `REDIS_URL` it uses the Redis adapter, as several instances must.
 */

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

const write = async (conversation, sender, content) => {
  const { rows } = await pool.query({ name: 'send', text: SEND, values: [conversation, sender, content] });
  return rows[0];
};

const server = servePlain(write, message => {
  io.to(message.conversation_id).to('inbox').emit('message.created', { message });
});
const { REDIS_URL } = process.env;
const adapter = REDIS_URL ? { adapter: createAdapter(new Redis(REDIS_URL), new Redis(REDIS_URL)) } : {};
const io = new Server(server, { transports: ['websocket'], serveClient: false, ...adapter });

// uses the function of the hand-written server: `jsonwebtoken` with a text secret would cost fifty times as much
io.use((socket, next) => next(verifyToken(socket.handshake.auth.token) ? undefined : new Error('unauthorized')));
io.on('connection', async socket => {
  await socket.join(socket.handshake.auth.room);
  socket.emit('connected');
});
