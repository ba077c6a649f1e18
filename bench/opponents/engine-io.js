import { createRequire } from 'node:module';

/** Socket of a socket.io server: directly by WebSocket, with the token in its handshake. */
export function engineSocket(token, room) {
  return {
    path: '/socket.io/?EIO=4&transport=websocket',
    hello: `40${JSON.stringify({ token, room })}`,
    ready: '"connected"',
    refused: '44',
  };
}

/** @returns why socket.io is unavailable, or null */
export function installed() {
  try {
    createRequire(import.meta.url).resolve('socket.io');
    return null;
  } catch {
    return 'not installed: npm ci --prefix bench';
  }
}
