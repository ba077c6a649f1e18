import { Global, Module } from '@nestjs/common';
import { Cipher } from './cipher.js';
import { KeyRotationService } from './key-rotation.service.js';
import { EncryptedColumns } from './encrypted-columns.js';

@Global()
@Module({ providers: [Cipher, EncryptedColumns, KeyRotationService], exports: [Cipher, EncryptedColumns] })
export class EncryptionModule {}
