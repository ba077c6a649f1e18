import { Global, Module } from '@nestjs/common';
import { FrameLimits } from './frame-limits.js';
import { HandshakeQueue } from './handshake-queue.js';
import { SocketHub } from './socket-hub.js';
import { KeepaliveJob } from './keepalive.job.js';

@Global()
@Module({
  providers: [FrameLimits, HandshakeQueue, SocketHub, KeepaliveJob],
  exports: [FrameLimits, HandshakeQueue, SocketHub],
})
export class SocketsModule {}
