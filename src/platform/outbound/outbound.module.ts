import { Global, Module } from '@nestjs/common';
import { AddressPolicy } from './address-policy.js';
import { OutboundAgents } from './outbound-agents.js';
import { Resolver } from './resolver.js';

/** Outbound requests to user-supplied URLs. */
@Global()
@Module({ providers: [Resolver, AddressPolicy, OutboundAgents], exports: [AddressPolicy, OutboundAgents] })
export class OutboundModule {}
