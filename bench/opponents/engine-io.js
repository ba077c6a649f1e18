import { createRequire } from 'node:module';

/** How one enters a server of socket.io: straight by WebSocket, the token in its handshake. */
export function engineSocket(token, room) {
  return {
    path: '/socket.io/?EIO=4&transport=websocket',
    hello: `40${JSON.stringify({ token, room })}`,
    ready: '"connected"',
    refused: '44',
  };
}

/** @returns why socket.io is not there, or null */
export function installed() {
  try {
    createRequire(import.meta.url).resolve('socket.io');
    return null;
  } catch {
    return 'not installed: npm ci --prefix bench';
  }
}
