import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

/**
 * Common part of the hand-written servers and socket.io: node:http and one route. It checks nothing: no authentication,
 * validation, authorisation or rate limit.
 */

const sender = randomUUID();
const PATH = /^\/v1\/conversations\/([^/]+)\/messages$/;

/**
 * Listens on `PORT` of the environment.
 * @param write stores a message: (conversation, sender, content) → `{id, seq, created_at}`
 * @param publish sends a stored message to the sockets of its conversation
 */
export function servePlain(write, publish) {
  const server = createServer((request, response) => {
    if (request.url === '/healthz') return answer(response, 200, { status: 'ok', instance: process.env.INSTANCE_ID });
    const [, conversation] = PATH.exec(request.url) ?? [];
    if (request.method !== 'POST' || conversation === undefined) return answer(response, 404, {});
    let text = '';
    request.setEncoding('utf8');
    request.on('data', part => (text += part));
    request.on('end', async () => {
      try {
        const { content } = JSON.parse(text);
        const { id, seq, created_at } = await write(conversation, sender, content);
        const message = {
          id,
          conversation_id: conversation,
          seq: Number(seq),
          sender_type: 'agent',
          sender_id: sender,
          content,
          created_at,
        };
        publish(message);
        answer(response, 201, { data: message });
      } catch (error) {
        answer(response, 500, { error: error.message });
      }
    });
  });
  process.once('SIGTERM', () => process.exit());
  server.listen(Number(process.env.PORT), '127.0.0.1');
  return server;
}

function answer(response, status, body) {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}
