import { Module } from '@nestjs/common';
import { ApiKeyTeardownHooks } from './api-key-teardown-hooks.js';
import { ApiKeyRefusals } from './api-key-refusals.js';
import { ApiKeyUsage } from './api-key-usage.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';

@Module({
  controllers: [ApiKeysController],
  providers: [ApiKeysRepository, ApiKeysService, ApiKeyUsage, ApiKeyRefusals, ApiKeyTeardownHooks],
  exports: [ApiKeysService, ApiKeyTeardownHooks],
})
export class ApiKeysModule {}
