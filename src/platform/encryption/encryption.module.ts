import { Global, Module } from '@nestjs/common';
import { CipherService } from './cipher.service.js';
import { KeyRotationService } from './key-rotation.service.js';
import { EncryptedColumns } from './encrypted-columns.js';

@Global()
@Module({
  providers: [CipherService, EncryptedColumns, KeyRotationService],
  exports: [CipherService, EncryptedColumns],
})
export class EncryptionModule {}
