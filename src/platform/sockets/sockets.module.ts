import { Global, Module } from '@nestjs/common';
import { FrameLimitsPolicy } from './frame-limits.policy.js';
import { HandshakeQueue } from './handshake-queue.js';
import { SocketHub } from './socket-hub.js';
import { KeepaliveJob } from './keepalive.job.js';

@Global()
@Module({
  providers: [FrameLimitsPolicy, HandshakeQueue, SocketHub, KeepaliveJob],
  exports: [FrameLimitsPolicy, HandshakeQueue, SocketHub],
})
export class SocketsModule {}
