import { Global, Module } from '@nestjs/common';
import { Cipher } from './cipher.js';
import { KeyRotation } from './key-rotation.service.js';
import { SealedPlaces } from './sealed-places.js';

@Global()
@Module({ providers: [Cipher, SealedPlaces, KeyRotation], exports: [Cipher, SealedPlaces] })
export class EncryptionModule {}
