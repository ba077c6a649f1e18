import { Global, Module } from '@nestjs/common';
import { AddressPolicy } from './address.policy.js';
import { OutboundConnectionsService } from './outbound-connections.service.js';
import { OutboundExchangeService } from './outbound-exchange.service.js';
import { OutboundLimitsPolicy } from './outbound-limits.policy.js';
import { OutboundMetricsService } from './outbound-metrics.service.js';
import { OutboundRequestsService } from './outbound-requests.service.js';
import { ResolverService } from './resolver.service.js';

/** Outbound requests to user-supplied URLs. */
@Global()
@Module({
  providers: [
    ResolverService,
    AddressPolicy,
    OutboundLimitsPolicy,
    OutboundMetricsService,
    OutboundConnectionsService,
    OutboundExchangeService,
    OutboundRequestsService,
  ],
  exports: [AddressPolicy, OutboundRequestsService],
})
export class OutboundModule {}
