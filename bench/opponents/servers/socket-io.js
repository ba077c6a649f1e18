import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { Server } from 'socket.io';
import { SEND } from '../plain-tables.js';
import { verifyToken } from '../tokens.js';
import { servePlain } from './plain-server.js';

/**
 * socket.io over the very HTTP and the very statement of the server by hand, so that what differs is socket.io. With
 * `REDIS_URL` its Redis adapter tells other instances too, as it would have to with more than one.
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

// by the same function as by hand: with `jsonwebtoken` and a secret of text it would cost fifty times as much
io.use((socket, next) => next(verifyToken(socket.handshake.auth.token) ? undefined : new Error('unauthorized')));
io.on('connection', async socket => {
  await socket.join(socket.handshake.auth.room);
  socket.emit('connected');
});
