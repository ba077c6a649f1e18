import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { ALL_PATIENCE_MS, perform } from '../client.js';
import type { Crowd } from '../crowd.js';
import type { Fault } from '../fault.js';
import { pick } from '../fault.js';
import type { Instance } from '../instance.js';

/** So many sockets of others come at once; more than 20 of one visitor push each other out. */
const HERD = { visitors: 15, sockets: 14 } as const;
const STORM = 120;

/** Clients that come, go, hang and dawdle. */
export const CLIENT_FAULTS: readonly Fault[] = [
  {
    number: 'F6',
    name: 'all clients drop, again and again',
    async strike({ crowd, random }) {
      for (let times = 0; times < 6; times += 1) {
        for (const listener of crowd.listeners) if (random() < 0.8) listener.drop();
        await delay(random() * 250);
      }
    },
  },
  {
    number: 'F6',
    name: 'all clients stop reading, and read on after they were given up',
    async strike({ crowd }) {
      const sockets = crowd.listeners.map(({ socket }) => socket);
      for (const socket of sockets) if (socket?.readyState === WebSocket.OPEN) socket.pause();
      await delay(5_500);
      for (const socket of sockets) socket?.resume();
    },
  },
  {
    number: 'F6',
    name: 'clients that say a byte at a time',
    async strike({ stage, random }) {
      const dawdlers = stage.instances.flatMap(({ port }) => Array.from({ length: 40 }, () => dawdler(port, random)));
      await delay(2_500);
      for (const { stop } of dawdlers) stop();
    },
  },
  {
    number: 'F6',
    name: 'sockets that are open and dead',
    async strike({ stage, crowd }) {
      const sockets = await herd(stage.instances, crowd);
      for (const socket of sockets) socket.pause();
      // longer than the service waits for a pong
      await delay(5_500);
      for (const socket of sockets) socket.terminate();
    },
  },
  {
    number: 'F6',
    name: 'hundreds come back at once',
    async strike({ stage, crowd }) {
      for (const listener of crowd.listeners) listener.drop();
      const sockets = await herd(stage.instances, crowd);
      for (const listener of crowd.listeners) listener.drop();
      await delay(500);
      for (const socket of sockets) socket.terminate();
    },
  },
  {
    number: 'F15',
    name: 'a storm of logins',
    async strike({ stage, crowd, random }) {
      const logins = Array.from({ length: STORM }, async () => {
        const { workspaceId, owner } = pick(random, crowd.desks);
        const body = { email: random() < 0.3 ? owner.email : 'nobody@example.com', password: 'not this one' };
        const draft = { kind: 'look' as const, who: 'the storm', workspaceId };
        const ask = { method: 'POST', path: '/v1/auth/login', body };
        await crowd.note(perform(crowd.http, pick(random, stage.instances), ask, draft));
      });
      await Promise.all(logins);
    },
  },
];

/** Writes a request so slowly that it never ends. */
function dawdler(port: number, random: () => number): { stop: () => void } {
  const words = 'POST /v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  let said = 0;
  const socket: Socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const timer = setInterval(() => socket.write(words[said++ % words.length] ?? ''), 100 + random() * 400);
  return {
    stop: () => {
      clearInterval(timer);
      socket.destroy();
    },
  };
}

/** Other visitors with many sockets each, opened at once; those that were let in. */
async function herd(instances: readonly Instance[], crowd: Crowd): Promise<WebSocket[]> {
  const [channel] = crowd.desks[0]?.channels ?? [];
  const tokens = await Promise.all(
    Array.from({ length: HERD.visitors }, async (_nothing, index) => {
      const body = { widget_token: channel?.widgetToken };
      const { url } = instances[index % instances.length] as Instance;
      const ask = { method: 'POST', path: '/v1/widget/session', body };
      const answer = await crowd.http.ask(url, ask, ALL_PATIENCE_MS);
      return String(answer.body.data.visitor_token);
    }),
  );
  const opened = tokens.flatMap(token =>
    Array.from({ length: HERD.sockets }, (_nothing, index) => {
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
