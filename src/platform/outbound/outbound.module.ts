import { Global, Module } from '@nestjs/common';
import { AddressPolicy } from './address.policy.js';
import { OutboundAgentsService } from './outbound-agents.service.js';
import { OutboundRequestsService } from './outbound-requests.service.js';
import { ResolverService } from './resolver.service.js';

/** Outbound requests to user-supplied URLs. */
@Global()
@Module({
  providers: [ResolverService, AddressPolicy, OutboundAgentsService, OutboundRequestsService],
  exports: [AddressPolicy, OutboundAgentsService, OutboundRequestsService],
})
export class OutboundModule {}
