import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChatController, EchoController, HealthController } from './chat.controllers.js';
import { ChatGateway } from './chat.gateway.js';
import { ChatService } from './chat.service.js';
import { Conversation, Message } from './entities.js';
import { JwtStrategy, secret } from './jwt.strategy.js';

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env.DATABASE_URL ?? '',
      entities: [Conversation, Message],
      poolSize: 10,
    }),
    TypeOrmModule.forFeature([Conversation, Message]),
    PassportModule,
    JwtModule.register({ secret }),
  ],
  controllers: [ChatController, EchoController, HealthController],
  providers: [ChatService, ChatGateway, JwtStrategy],
})
export class IdiomaticModule {}
