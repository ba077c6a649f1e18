import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { MembersModule } from '../members/index.js';
import { AuditController } from './audit.controller.js';
import { AuditReader } from './audit.reader.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';
import { AuditRetentionJob } from './audit-retention.job.js';

@Module({
  imports: [ApiKeysModule, MembersModule],
  controllers: [AuditController],
  providers: [AuditRepository, AuditService, AuditReader, AuditRetentionJob],
})
export class AuditModule {}
