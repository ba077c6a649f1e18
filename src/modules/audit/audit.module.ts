import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { MembersModule } from '../members/index.js';
import { AuditEntryEntity } from './audit-entry.entity.js';
import { AuditRetentionJob } from './audit-retention.job.js';
import { AuditConsumer } from './audit.consumer.js';
import { AuditController } from './audit.controller.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';

@Module({
  imports: [ApiKeysModule, MembersModule],
  controllers: [AuditController],
  providers: [AuditRepository, AuditService, AuditConsumer, AuditRetentionJob],
})
export class AuditModule {
  static readonly entities = [AuditEntryEntity];
}
