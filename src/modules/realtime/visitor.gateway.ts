import { UseFilters } from '@nestjs/common';
import { ConnectedSocket, MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import type { ClientFrame } from '../../platform/sockets/frame.js';
import { connectionOf } from '../../platform/sockets/socket.adapter.js';
import { PONG } from './ephemeral-frames.js';
import { PageReportsService } from './presence/page-reports.service.js';
import { RenewalService } from './renewal.service.js';
import { RethrowFilter } from './rethrow.filter.js';
import { VISITOR_PATH } from './socket-routes.js';
import { TypingService } from './typing.service.js';

/** Handles the frames of visitors. */
@UseFilters(RethrowFilter)
@WebSocketGateway({ path: VISITOR_PATH })
export class VisitorGateway {
  constructor(
    private readonly typing: TypingService,
    private readonly renewal: RenewalService,
    private readonly pages: PageReportsService,
  ) {}

  @SubscribeMessage('ping')
  ping(@ConnectedSocket() socket: WebSocket): void {
    connectionOf(socket).send(PONG);
  }

  /** Does nothing: every frame already counts as activity. */
  @SubscribeMessage('presence.heartbeat')
  heartbeat(): void {
    return;
  }

  @SubscribeMessage('auth')
  async renew(@ConnectedSocket() socket: WebSocket, @MessageBody() frame: ClientFrame): Promise<void> {
    await this.renewal.renew(connectionOf(socket), frame.pick('token'));
  }

  @SubscribeMessage('page')
  async reportPage(@ConnectedSocket() socket: WebSocket, @MessageBody() frame: ClientFrame): Promise<void> {
    await this.pages.report(connectionOf(socket), frame.pick('url', 'title'));
  }

  @SubscribeMessage('typing')
  async startTyping(@ConnectedSocket() socket: WebSocket, @MessageBody() frame: ClientFrame): Promise<void> {
    await this.typing.start(connectionOf(socket).principal, frame.pick('conversation_id', 'private'));
  }

  @SubscribeMessage('typing.stop')
  async stopTyping(@ConnectedSocket() socket: WebSocket, @MessageBody() frame: ClientFrame): Promise<void> {
    await this.typing.stop(connectionOf(socket).principal, frame.pick('conversation_id', 'private'));
  }
}
