import { WebSocketServer } from 'ws';
import { verifyToken } from '../tokens.js';

/** Bare WebSockets in rooms: a token is checked at the door, nothing else. */
export class Rooms {
  rooms = new Map();

  constructor(server) {
    const door = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    server.on('upgrade', (request, socket, head) => {
      const { searchParams } = new URL(request.url, 'http://bench');
      if (!verifyToken(searchParams.get('token'))) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      door.handleUpgrade(request, socket, head, client => this.enter(client, searchParams.get('room')));
    });
  }

  /** Those in a room; nobody in one that is not there. */
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
