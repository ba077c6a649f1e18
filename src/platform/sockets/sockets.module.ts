import { Global, Module } from '@nestjs/common';
import { SocketHub } from './socket-hub.js';
import { SocketKeeper } from './socket-keeper.js';

@Global()
@Module({ providers: [SocketHub, SocketKeeper], exports: [SocketHub] })
export class SocketsModule {}
