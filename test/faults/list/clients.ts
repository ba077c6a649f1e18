import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { ALL_PATIENCE_MS, perform } from '../client.js';
import type { Crowd } from '../crowd.js';
import type { Fault } from '../fault.js';
import { pick } from '../fault.js';
import type { Instance } from '../instance.js';

/** Sockets of additional visitors. More than 20 of one visitor evict each other. */
const MANY = { visitors: 15, sockets: 14 } as const;
const STORM = 120;

/** Clients that reconnect, hang or send slowly. */
export const CLIENT_FAULTS: readonly Fault[] = [
  {
    number: 'F6',
    name: 'all clients drop repeatedly',
    async inject({ crowd, random }) {
      for (let times = 0; times < 6; times += 1) {
        for (const listener of crowd.listeners) if (random() < 0.8) listener.drop();
        await delay(random() * 250);
      }
    },
  },
  {
    number: 'F6',
    name: 'all clients stop reading, and resume reading after the server gave them up',
    async inject({ crowd }) {
      const sockets = crowd.listeners.map(({ socket }) => socket);
      for (const socket of sockets) if (socket?.readyState === WebSocket.OPEN) socket.pause();
      await delay(5_500);
      for (const socket of sockets) socket?.resume();
    },
  },
  {
    number: 'F6',
    name: 'clients send one byte at a time',
    async inject({ stage, random }) {
      const dawdlers = stage.instances.flatMap(({ port }) =>
        Array.from({ length: 40 }, () => slowClient(port, random)),
      );
      await delay(2_500);
      for (const { stop } of dawdlers) stop();
    },
  },
  {
    number: 'F6',
    name: 'sockets stay open but dead',
    async inject({ stage, crowd }) {
      const sockets = await openManySockets(stage.instances, crowd);
      for (const socket of sockets) socket.pause();
      // Longer than the service waits for a pong.
      await delay(5_500);
      for (const socket of sockets) socket.terminate();
    },
  },
  {
    number: 'F6',
    name: 'hundreds of clients reconnect at once',
    async inject({ stage, crowd }) {
      for (const listener of crowd.listeners) listener.drop();
      const sockets = await openManySockets(stage.instances, crowd);
      for (const listener of crowd.listeners) listener.drop();
      await delay(500);
      for (const socket of sockets) socket.terminate();
    },
  },
  {
    number: 'F15',
    name: 'a storm of logins',
    async inject({ stage, crowd, random }) {
      const logins = Array.from({ length: STORM }, async () => {
        const { workspaceId, owner } = pick(random, crowd.desks);
        const body = { email: random() < 0.3 ? owner.email : 'nobody@example.com', password: 'not this one' };
        const draft = { kind: 'look' as const, actor: 'login storm', workspaceId };
        const spec = { method: 'POST', path: '/v1/auth/login', body };
        await crowd.recordOperation(perform(crowd.http, pick(random, stage.instances), spec, draft));
      });
      await Promise.all(logins);
    },
  },
];

/** Sends a request so slowly that it never completes. */
function slowClient(port: number, random: () => number): { stop: () => void } {
  const words = 'POST /v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  let written = 0;
  const socket: Socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const timer = setInterval(() => socket.write(words[written++ % words.length] ?? ''), 100 + random() * 400);
  return {
    stop: () => {
      clearInterval(timer);
      socket.destroy();
    },
  };
}

/** Opens many sockets of additional visitors at once. Returns those that were accepted. */
async function openManySockets(instances: readonly Instance[], crowd: Crowd): Promise<WebSocket[]> {
  const [channel] = crowd.desks[0]?.channels ?? [];
  const tokens = await Promise.all(
    Array.from({ length: MANY.visitors }, async (_nothing, index) => {
      const body = { widget_token: channel?.widgetToken };
      const { url } = instances[index % instances.length] as Instance;
      const spec = { method: 'POST', path: '/v1/widget/session', body };
      const answer = await crowd.http.send(url, spec, ALL_PATIENCE_MS);
      return String(answer.body.data.visitor_token);
    }),
  );
  const opened = tokens.flatMap(token =>
    Array.from({ length: MANY.sockets }, (_nothing, index) => {
      const { port } = instances[index % instances.length] as Instance;
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/visitor?token=${token}`, { handshakeTimeout: 8_000 });
      socket.on('error', () => undefined);
      return new Promise<WebSocket>(resolve => {
        socket.once('open', () => resolve(socket));
        socket.once('close', () => resolve(socket));
      });
    }),
  );
  const sockets = await Promise.all(opened);
  return sockets.filter(({ readyState }) => readyState === WebSocket.OPEN);
}
