import { randomUUID } from 'node:crypto';
import { conversationId } from './plain-tables.js';
import { signToken } from './tokens.js';

/**
 * Makes the stage of a server with `POST /v1/conversations/ID/messages`, one room per conversation, and the room
 * `inbox`, which receives everything.
 * @param socket (token, room) → the argument of `load/listener.js`
 * @returns `stage(wants)`, see `opponents/index.js`
 */
export function plainStage(socket) {
  const token = signToken({ sub: randomUUID() });
  return ({ conversations = 0, listenersEach = 0, inbox = 0 }) => ({
    conversations: Array.from({ length: conversations }, (_, index) => {
      const id = conversationId(index + 1);
      return {
        id,
        send: { method: 'POST', path: `/v1/conversations/${id}/messages`, token, before: '{"content":"', after: '"}' },
        sockets: Array.from({ length: listenersEach }, () => socket(signToken({ sub: randomUUID() }), id)),
      };
    }),
    inbox: Array.from({ length: inbox }, () => socket(signToken({ sub: randomUUID() }), 'inbox')),
  });
}

/** Socket of a server with plain WebSockets. */
export function bareSocket(token, room) {
  return { path: `/ws?token=${token}&room=${room}`, ready: '"connected"' };
}
