import { WebSocketServer } from 'ws';
import { verifyToken } from '../tokens.js';

/** Plain WebSockets in rooms. Checks only the token of the handshake. */
export class Rooms {
  rooms = new Map();

  constructor(server) {
    const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    server.on('upgrade', (request, socket, head) => {
      const { searchParams } = new URL(request.url, 'http://bench');
      if (!verifyToken(searchParams.get('token'))) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      webSockets.handleUpgrade(request, socket, head, client => this.enter(client, searchParams.get('room')));
    });
  }

  /** Returns the sockets of a room; an empty list for an unknown room. */
  in(room) {
    return this.rooms.get(room) ?? [];
  }

  enter(client, name) {
    const room = this.rooms.get(name) ?? new Set();
    this.rooms.set(name, room.add(client));
    client.on('error', () => undefined);
    client.on('close', () => room.delete(client));
    client.send('{"type":"connected"}');
  }
}
