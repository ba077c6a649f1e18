import { Module } from '@nestjs/common';
import { ApiKeyHoldings } from './api-key-holdings.js';
import { ApiKeyRefusals } from './api-key-refusals.js';
import { ApiKeyUsage } from './api-key-usage.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';

@Module({
  controllers: [ApiKeysController],
  providers: [ApiKeysRepository, ApiKeysService, ApiKeyUsage, ApiKeyRefusals, ApiKeyHoldings],
  exports: [ApiKeysService, ApiKeyHoldings],
})
export class ApiKeysModule {}
