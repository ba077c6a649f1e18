import { mkdtempSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/config.js';
import type { Clock } from '../../src/kernel/clock.js';
import { SystemClock } from '../../src/kernel/clock.js';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import { AddressPolicy } from '../../src/platform/outbound/address.policy.js';
import { OutboundConnectionsService } from '../../src/platform/outbound/outbound-connections.service.js';
import { OutboundExchangeService } from '../../src/platform/outbound/outbound-exchange.service.js';
import { OutboundLimitsPolicy } from '../../src/platform/outbound/outbound-limits.policy.js';
import { OutboundMetricsService } from '../../src/platform/outbound/outbound-metrics.service.js';
import { OutboundRequestsService } from '../../src/platform/outbound/outbound-requests.service.js';
import { ResolverService } from '../../src/platform/outbound/resolver.service.js';

const DATA_DIR = mkdtempSync(join(tmpdir(), 'support-chat-outbound-'));
const SECRET = 'iv7Jq0w2mX9tLc4RzB8nYp5Kd1Hs6GfA';

/** Settings of a production instance that does not use https itself. */
export const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://db/chat',
  JWT_SECRETS: SECRET,
  ENCRYPTION_KEYS: [...SECRET].reverse().join(''),
  PUBLIC_URL: 'http://chat.company.net',
  ALLOW_INSECURE_HTTP: 'on',
};

export const LOOPBACK = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };

export function configOf(env: Record<string, string> = {}): Config {
  return loadConfig({ NODE_ENV: 'test', DATA_DIR, ...env });
}

export const outsideUnits = new UnitOfWork(undefined as never, configOf());

/** A resolver with fixed answers. Each lookup takes the next one; the last one repeats. */
export class StubResolver extends ResolverService {
  readonly lookups: string[] = [];

  constructor(private readonly answers: Record<string, string[][]> = {}) {
    super();
  }

  override resolve(name: string) {
    this.lookups.push(name);
    const left = this.answers[name] ?? [];
    const addresses = left.length > 1 ? left.shift() : left[0];
    if (!addresses) return Promise.reject(Object.assign(new Error(name), { code: 'ENOTFOUND' }));
    return Promise.resolve(addresses.map(address => ({ address, family: isIP(address) })));
  }
}

export function policyOf(env: Record<string, string> = {}, names: ResolverService = new StubResolver()): AddressPolicy {
  return new AddressPolicy(configOf(env), names, outsideUnits);
}

export interface Sender {
  requests: OutboundRequestsService;
  connections: OutboundConnectionsService;
  registry: Registry;
}

/** Builds the sender without a service. Loopback is allowed unless `policy` says otherwise. */
export function senderOf(
  limits: Partial<OutboundLimitsPolicy> = {},
  policy: AddressPolicy = policyOf(LOOPBACK),
  clock: Clock = new SystemClock(),
): Sender {
  const all = Object.assign(new OutboundLimitsPolicy(), limits);
  const registry = new Registry();
  const connections = new OutboundConnectionsService(policy, all);
  const metrics = new OutboundMetricsService(registry);
  const exchanges = new OutboundExchangeService(connections, all, clock, metrics);
  return {
    requests: new OutboundRequestsService(exchanges, connections, all, outsideUnits, metrics),
    connections,
    registry,
  };
}
