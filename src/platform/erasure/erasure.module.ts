import { Global, Module } from '@nestjs/common';
import { ErasureJob } from './erasure.job.js';
import { ErasureSteps } from './erasure-steps.js';
import { ErasureRepository } from './erasure.repository.js';

@Global()
@Module({ providers: [ErasureRepository, ErasureSteps, ErasureJob], exports: [ErasureSteps, ErasureJob] })
export class ErasureModule {}
