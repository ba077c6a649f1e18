import type { LookupAddress } from 'node:dns';
import { lookup, Resolver as DnsResolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';

/**
 * Names as DNS has them. The system's own way (`getaddrinfo`) holds one of the four threads that hash passwords too,
 * for as long as a server likes to be silent; whoever owns a name could keep everyone from logging in. So it is asked
 * about names without a dot alone, which are nobody's on the internet: those of the hosts file and of containers.
 */
@Injectable()
export class Resolver {
  protected readonly dns = new DnsResolver({ timeout: 1_500, tries: 2 });

  /** @throws Error when nothing answers to the name */
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
