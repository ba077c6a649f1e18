import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { ApiKeysModule } from '../api-keys/index.js';
import { BotsModule } from '../bots/index.js';
import { ChannelsModule } from '../channels/index.js';
import { MembersModule } from '../members/index.js';
import { UsersModule } from '../users/index.js';
import { WorkspacesModule } from '../workspaces/index.js';
import { AuthLogService } from './auth-log.service.js';
import { AuthController } from './auth.controller.js';
import { AUTH_EVENTS } from './auth.events.js';
import { AuthService } from './auth.service.js';
import { PassportAuthenticatorService } from './passport-authenticator.service.js';
import { PasswordResetEntity } from './password-reset.entity.js';
import { PasswordsController } from './passwords.controller.js';
import { PasswordsService } from './passwords.service.js';
import { SessionEntity } from './session.entity.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';
import { SignInService } from './sign-in.service.js';
import { AgentStrategy } from './strategies/agent.strategy.js';
import { ApiKeyStrategy } from './strategies/api-key.strategy.js';
import { VisitorStrategy } from './strategies/visitor.strategy.js';
import { TokenService } from './token.service.js';
import { VerifiedCredentialsStore } from './verified-credentials.store.js';

@Module({
  imports: [
    PassportModule,
    JwtModule.register({}),
    WorkspacesModule,
    UsersModule,
    BotsModule,
    ChannelsModule,
    MembersModule,
    ApiKeysModule,
  ],
  controllers: [AuthController, PasswordsController],
  providers: [
    TokenService,
    VerifiedCredentialsStore,
    AuthLogService,
    SessionsRepository,
    SessionsService,
    SignInService,
    AuthService,
    PasswordsService,
    AgentStrategy,
    VisitorStrategy,
    ApiKeyStrategy,
    PassportAuthenticatorService,
  ],
  exports: [TokenService, SessionsService, SignInService, PassportAuthenticatorService],
})
export class AuthModule {
  static readonly entities = [PasswordResetEntity, SessionEntity];
  static readonly events = AUTH_EVENTS;
}
