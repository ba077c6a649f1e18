import { Global, Module } from '@nestjs/common';
import { FrameLimits } from './frame-limits.js';
import { HandshakeQueue } from './handshake-queue.js';
import { SocketHub } from './socket-hub.js';
import { SocketKeeper } from './socket-keeper.js';

@Global()
@Module({
  providers: [FrameLimits, HandshakeQueue, SocketHub, SocketKeeper],
  exports: [FrameLimits, HandshakeQueue, SocketHub],
})
export class SocketsModule {}
