import type { BlockList, LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { ValidationFailed } from '../../kernel/errors.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { contains, isPublicAddress, networkList } from './public-addresses.js';
import { ResolverService } from './resolver.service.js';

export const URL_CHARS = 2048;

/** Time limit for the DNS lookup when a URL is saved. A slower name counts as not resolvable. */
const RESOLVE_MS = 2_000;

/** The only ports below 1024 that may be called in production. The others belong to mail, remote shells and the like. */
const LOW_PORTS = [80, 443];

/** A connection was refused because of its target address. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_NOT_ALLOWED';

  constructor(host: string) {
    super(`${host} is, or resolves to, an address that may not be called`);
  }
}

/**
 * Decides which addresses user-supplied URLs may reach: the internet, but not the internal network (SSRF). It is
 * checked when a URL is saved, so that the user gets an error, and again for each connection, because a name may
 * resolve to another address by then.
 */
@Injectable()
export class AddressPolicy {
  private readonly allowed: BlockList;

  constructor(
    private readonly config: Config,
    private readonly resolver: ResolverService,
    private readonly units: UnitOfWork,
  ) {
    this.allowed = networkList(config.webhookAllowedCidrs);
  }

  /**
   * Validates a URL that the service is to call. A name that does not resolve is accepted: it may be published later,
   * and each connection is checked again.
   * @param field name of the field in the request
   * @throws ValidationFailed
   * @throws Error in a unit of work, because it may wait for DNS
   */
  async assertCallable(text: string, field: string): Promise<void> {
    this.units.assertNoneActive('resolving a name');
    const refuse = (code: string, message: string): never => {
      throw new ValidationFailed({ details: [{ field, code, message: `${field} ${message}` }] });
    };
    if (text.length > URL_CHARS) refuse('too_long', `must have at most ${URL_CHARS} characters`);
    // stricter than the URL parser, which removes tabs and adds slashes
    const url = /^https?:\/\/[^\s\\/][^\s\\]*$/i.test(text) && URL.canParse(text) ? new URL(text) : null;
    if (!url) return refuse('format', 'must be a URL that starts with http:// or https://');
    const fault = this.findFault(url);
    if (fault) refuse(...fault);
    const addresses = await this.addressesOf(url.hostname.replace(/^\[|\]$|\.$/g, ''));
    if (!addresses.every(address => this.permits(address))) {
      refuse('address_not_allowed', 'resolves to an address that may not be called');
    }
  }

  /**
   * Checks a saved URL again before it is called, because the settings may have changed. Its address is checked when the
   * service connects.
   * @throws AddressRefused
   */
  assertPermitted(url: URL): void {
    if (this.findFault(url)) throw new AddressRefused(url.host);
  }

  /** Returns true when the service may connect to this address. */
  permits(address: string): boolean {
    return isPublicAddress(address) || (isIP(address) !== 0 && contains(this.allowed, address));
  }

  /**
   * Resolves the name of a new connection, and refuses it when any of its addresses is not permitted. Node does not
   * call it when the host is already an address; use `permits` for those.
   */
  readonly lookup: LookupFunction = (name, options, done) => {
    this.resolver.resolve(name).then(
      addresses => {
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => this.permits(address))) done(new AddressRefused(name), []);
        else if (options.all) done(null, addresses);
        else done(null, first.address, first.family);
      },
      (error: unknown) => done(error as NodeJS.ErrnoException, []),
    );
  };

  /** @returns code and message of what is wrong with the URL apart from its address, or null */
  private findFault({ protocol, username, password, port }: URL): [code: string, message: string] | null {
    const { production } = this.config;
    if (protocol !== 'https:' && (production || protocol !== 'http:')) {
      return ['https_required', 'must start with https://'];
    }
    if (username !== '' || password !== '') return ['credentials', 'must not contain a user name or password'];
    if (production && !mayCallPort(port)) return ['port_not_allowed', 'must have port 80, 443 or one above 1023'];
    return null;
  }

  /** Resolves a host of a parsed URL, in which addresses are already in canonical form. */
  private async addressesOf(host: string): Promise<string[]> {
    if (isIP(host) !== 0) return [host];
    if (/(^|\.)localhost$/.test(host)) return ['127.0.0.1'];
    const timeout = new AbortController();
    try {
      const found = this.resolver.resolve(host).catch(() => []);
      const late = wait(RESOLVE_MS, [], { signal: timeout.signal });
      return (await Promise.race([found, late])).map(({ address }) => address);
    } finally {
      timeout.abort();
    }
  }
}

/** @param port of a parsed URL: empty if it is the scheme's own */
function mayCallPort(port: string): boolean {
  return port === '' || Number(port) > 1023 || LOW_PORTS.includes(Number(port));
}
