import { Module } from '@nestjs/common';
import { ApiKeyRefusalsService } from './api-key-refusals.service.js';
import { ApiKeyTeardownHooks } from './api-key-teardown-hooks.js';
import { ApiKeyUsageJob } from './api-key-usage.job.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeysController } from './api-keys.controller.js';
import { API_KEY_EVENTS } from './api-keys.events.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';

@Module({
  controllers: [ApiKeysController],
  providers: [ApiKeysRepository, ApiKeysService, ApiKeyUsageJob, ApiKeyRefusalsService, ApiKeyTeardownHooks],
  exports: [ApiKeysService, ApiKeyTeardownHooks],
})
export class ApiKeysModule {
  static readonly entities = [ApiKeyEntity];
  static readonly events = API_KEY_EVENTS;
}
