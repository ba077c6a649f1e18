import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { AddressPolicy, AddressRefused } from './address.policy.js';

/**
 * Provides the agents for all requests to user-supplied URLs: `request(url, {agent: agents.for(url)})`. They check the
 * address of every connection, which defeats DNS rebinding. Connections are not reused, so every request is checked.
 * They ignore proxy variables of the environment and, like all of `node:http`, do not follow redirects.
 */
@Injectable()
export class OutboundAgentsService {
  private readonly http: HttpAgent;
  private readonly https: HttpsAgent;

  constructor(
    policy: AddressPolicy,
    private readonly units: UnitOfWork,
  ) {
    this.http = guarded(new HttpAgent(), policy);
    this.https = guarded(new HttpsAgent(), policy);
  }

  /** @throws Error in a unit of work, whose connection would be blocked until the other side answers */
  for(url: URL): HttpAgent {
    this.units.assertNoneActive('a request to another host');
    return url.protocol === 'https:' ? this.https : this.http;
  }
}

function guarded<A extends HttpAgent>(agent: A, policy: AddressPolicy): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    const host = options.host ?? '';
    if (isIP(host) === 0) return connect({ ...options, lookup: policy.lookup }, done);
    if (policy.permits(host)) return connect(options, done);
    done?.(new AddressRefused(host), undefined as never);
    return undefined;
  };
  return agent;
}
