import { DynamicModule, Global, Module } from '@nestjs/common';
import { Config } from './config/config.js';
import { ENTITIES } from './entities.js';
import { EVENT_REGISTRY } from './events.js';
import { Clock, SystemClock } from './kernel/clock.js';
import { EventRegistry } from './kernel/event-registry.js';
import { MODULES } from './modules.js';
import { AuthModule, PassportAuthenticatorService } from './modules/auth/index.js';
import { AccessGuard } from './platform/access/access.guard.js';
import { Authenticator } from './platform/access/authenticator.js';
import { Schema } from './platform/database/data-source.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { MIGRATIONS } from './platform/database/migrations/index.js';
import { EncryptionModule } from './platform/encryption/encryption.module.js';
import { ErasureModule } from './platform/erasure/erasure.module.js';
import { JobsModule } from './platform/jobs/jobs.module.js';
import { EventsModule } from './platform/events/events.module.js';
import { FilesModule } from './platform/files/files.module.js';
import { FanoutModule } from './platform/fanout/fanout.module.js';
import { HealthModule } from './platform/health/health.module.js';
import { IdempotencyModule } from './platform/idempotency/idempotency.module.js';
import { ImagesModule } from './platform/images/images.module.js';
import { LimitsModule } from './platform/limits/limits.module.js';
import { HttpModule } from './platform/http/http.module.js';
import { JsonBodyGuard } from './platform/http/json-body.guard.js';
import { RateLimitGuard } from './platform/limits/rate-limit.guard.js';
import { MailModule } from './platform/mail/mail.module.js';
import { PresenceStoreModule } from './platform/presence/presence-store.module.js';
import { RedisModule } from './platform/redis/redis.module.js';
import { MetricsModule } from './platform/metrics/metrics.module.js';
import { OutboundModule } from './platform/outbound/outbound.module.js';
import { SocketsModule } from './platform/sockets/sockets.module.js';

export const SCHEMA: Schema = { entities: ENTITIES, migrations: MIGRATIONS };

/** Provides the platform's dependencies: the configuration, the clock, the database schema and the events. */
@Global()
@Module({})
class FoundationModule {
  static with(config: Config): DynamicModule {
    const provided = [
      { provide: Config, useValue: config },
      { provide: Clock, useClass: SystemClock },
      { provide: Schema, useValue: SCHEMA },
      { provide: EventRegistry, useValue: EVENT_REGISTRY },
    ];
    return { module: FoundationModule, providers: provided, exports: provided.map(({ provide }) => provide) };
  }
}

const PLATFORM = [
  MetricsModule,
  DatabaseModule,
  RedisModule,
  FanoutModule,
  PresenceStoreModule,
  ErasureModule,
  JobsModule,
  FilesModule,
  EventsModule,
  EncryptionModule,
  IdempotencyModule,
  LimitsModule,
  ImagesModule,
  MailModule,
  HttpModule,
  OutboundModule,
  SocketsModule,
  HealthModule,
];

/** Binds the platform's ports to their implementations in modules. */
@Global()
@Module({
  imports: [AuthModule],
  providers: [{ provide: Authenticator, useExisting: PassportAuthenticatorService }],
  exports: [Authenticator],
})
class PortsModule {}

/** The composition root. */
@Module({})
export class AppModule {
  static with(config: Config): DynamicModule {
    return {
      module: AppModule,
      imports: [FoundationModule.with(config), ...PLATFORM, PortsModule, ...MODULES],
      providers: [AccessGuard, RateLimitGuard, JsonBodyGuard],
    };
  }
}
