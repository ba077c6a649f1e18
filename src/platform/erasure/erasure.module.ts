import { Global, Module } from '@nestjs/common';
import { ErasureJob } from './erasure.job.js';
import { ErasureStepRegistry } from './erasure-step.registry.js';
import { ErasureRepository } from './erasure.repository.js';

@Global()
@Module({ providers: [ErasureRepository, ErasureStepRegistry, ErasureJob], exports: [ErasureStepRegistry, ErasureJob] })
export class ErasureModule {}
