import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { AddressPolicy, AddressRefused } from './address-policy.js';

/**
 * Makes the connections of all requests to URLs that somebody told the service: `request(url, {agent: agents.for(url)})`.
 * Each address is checked as it is connected to, so a name that has come to lead elsewhere leads nowhere. Connections are
 * not kept: the next request asks again. They follow no proxy of the environment and, like all of `node:http`, no
 * redirect.
 */
@Injectable()
export class OutboundAgents {
  private readonly http: HttpAgent;
  private readonly https: HttpsAgent;

  constructor(
    policy: AddressPolicy,
    private readonly units: UnitOfWork,
  ) {
    this.http = guarded(new HttpAgent(), policy);
    this.https = guarded(new HttpsAgent(), policy);
  }

  /** @throws Error in a unit of work, which would hold its connection until the other side answers */
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
