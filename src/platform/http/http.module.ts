import { Global, Module } from '@nestjs/common';
import { FileUploadsService } from './file-uploads.service.js';
import { KeyedRequestsService } from './keyed-requests.service.js';
import { RequestBodiesService } from './request-bodies.service.js';
import { RequestMetricsService } from './request-metrics.service.js';

const PROVIDERS = [FileUploadsService, KeyedRequestsService, RequestBodiesService, RequestMetricsService];

@Global()
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class HttpModule {}
