import type { LookupAddress } from 'node:dns';
import { lookup, Resolver as DnsResolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';

/**
 * Resolves names directly over DNS. `getaddrinfo` would block one of the four libuv threads that also hash passwords,
 * so a slow name server could keep everyone from logging in. It is used only for names without a dot (hosts file,
 * containers), which nobody on the internet controls.
 */
@Injectable()
export class ResolverService {
  protected readonly dns = new DnsResolver({ timeout: 1_500, tries: 2 });

  /** @throws Error when the name does not resolve */
  async resolve(name: string): Promise<LookupAddress[]> {
    if (!name.includes('.')) return lookup(name, { all: true });
    const answers = await Promise.allSettled([this.query(name, 4), this.query(name, 6)]);
    const found = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
    const failed = answers.find(answer => answer.status === 'rejected');
    if (found.length === 0 && failed) throw failed.reason;
    return found;
  }

  private async query(name: string, family: 4 | 6): Promise<LookupAddress[]> {
    const addresses = family === 4 ? await this.dns.resolve4(name) : await this.dns.resolve6(name);
    return addresses.map(address => ({ address, family }));
  }
}
