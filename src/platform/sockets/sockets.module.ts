import { Global, Module } from '@nestjs/common';
import { HandshakeQueue } from './handshake-queue.js';
import { SocketHub } from './socket-hub.js';
import { SocketKeeper } from './socket-keeper.js';

@Global()
@Module({ providers: [HandshakeQueue, SocketHub, SocketKeeper], exports: [HandshakeQueue, SocketHub] })
export class SocketsModule {}
