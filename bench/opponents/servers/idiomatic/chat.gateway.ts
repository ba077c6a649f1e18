import type { IncomingMessage } from 'node:http';
import { JwtService } from '@nestjs/jwt';
import { OnGatewayConnection, OnGatewayDisconnect, WebSocketGateway } from '@nestjs/websockets';
import { WebSocket } from 'ws';

@WebSocketGateway({ path: '/ws' })
export class ChatGateway implements OnGatewayConnection<WebSocket>, OnGatewayDisconnect<WebSocket> {
  private readonly rooms = new Map<string, Set<WebSocket>>();

  constructor(private readonly jwt: JwtService) {}

  async handleConnection(client: WebSocket, request: IncomingMessage): Promise<void> {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams;
    try {
      await this.jwt.verifyAsync(query.get('token') ?? '');
    } catch {
      client.close(4003);
      return;
    }
    const name = query.get('room') ?? '';
    const room = this.rooms.get(name) ?? new Set();
    this.rooms.set(name, room.add(client));
    client.send(JSON.stringify({ type: 'connected' }));
  }

  handleDisconnect(client: WebSocket): void {
    for (const room of this.rooms.values()) room.delete(client);
  }

  publish(conversationId: string, message: object): void {
    for (const name of [conversationId, 'inbox']) {
      for (const client of this.rooms.get(name) ?? []) {
        client.send(JSON.stringify({ type: 'message.created', data: { message } }));
      }
    }
  }
}
