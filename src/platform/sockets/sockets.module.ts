import { Global, Module } from '@nestjs/common';
import { FrameLimitsPolicy } from './frame-limits.policy.js';
import { HandshakeQueue } from './handshake-queue.js';
import { SocketHub } from './socket-hub.js';
import { SocketMetricsService } from './socket-metrics.service.js';
import { KeepaliveJob } from './keepalive.job.js';

@Global()
@Module({
  providers: [FrameLimitsPolicy, HandshakeQueue, SocketHub, SocketMetricsService, KeepaliveJob],
  exports: [FrameLimitsPolicy, HandshakeQueue, SocketHub, SocketMetricsService],
})
export class SocketsModule {}
