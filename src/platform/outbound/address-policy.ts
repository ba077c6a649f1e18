import type { BlockList, LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { ValidationFailed } from '../../kernel/errors.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { contains, isPublicAddress, networkList } from './public-addresses.js';
import { Resolver } from './resolver.js';

export const URL_CHARS = 2048;

/** How long saving a URL waits for the name in it; one that takes longer is one that does not resolve now. */
const RESOLVE_MS = 2_000;

/** A connection that was not made, because of where it would have gone. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_NOT_ALLOWED';

  constructor(host: string) {
    super(`${host} is, or leads to, an address that may not be called`);
  }
}

/**
 * Where the service may be sent by those who tell it a URL: to the internet, not into the network that it stands in.
 * Asked twice: when the URL is saved, so that whoever types it hears of it, and of each address that is connected to,
 * because a name may lead elsewhere by then.
 */
@Injectable()
export class AddressPolicy {
  private readonly allowed: BlockList;

  constructor(
    private readonly config: Config,
    private readonly resolver: Resolver,
    private readonly units: UnitOfWork,
  ) {
    this.allowed = networkList(config.webhookAllowedCidrs);
  }

  /**
   * Refuses a URL that the service should not call. A name that nothing answers to now is let through: it may be
   * published later, and is checked then.
   * @param field what the caller calls it @throws ValidationFailed @throws Error in a unit of work: it may wait for DNS
   */
  async assertCallable(text: string, field: string): Promise<void> {
    this.units.assertNoneActive('resolving a name');
    const refuse = (code: string, message: string): never => {
      throw new ValidationFailed({ details: [{ field, code, message: `${field} ${message}` }] });
    };
    if (text.length > URL_CHARS) refuse('too_long', `must have at most ${URL_CHARS} characters`);
    // the parser reads more than this, and reads it its own way: tabs left out, slashes added
    const url = /^https?:\/\/[^\s\\/][^\s\\]*$/i.test(text) && URL.canParse(text) ? new URL(text) : null;
    if (!url) return refuse('format', 'must be a URL that starts with http:// or https://');
    if (this.config.production && url.protocol !== 'https:') refuse('https_required', 'must start with https://');
    if (url.username !== '' || url.password !== '') refuse('credentials', 'must not hold a user name or password');
    const addresses = await this.addressesOf(url.hostname.replace(/^\[|\]$|\.$/g, ''));
    if (!addresses.every(address => this.permits(address))) {
      refuse('address_not_allowed', 'leads to an address that may not be called');
    }
  }

  /** Whether the service may connect to this address. */
  permits(address: string): boolean {
    return isPublicAddress(address) || (isIP(address) !== 0 && contains(this.allowed, address));
  }

  /**
   * Resolves for a connection that is about to be made, and refuses the name when any of its addresses is refused. Not
   * asked by Node where the host is an address already: `permits` is for those.
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

  /** The parser has brought addresses into one form, however they were written. */
  private async addressesOf(host: string): Promise<string[]> {
    if (isIP(host) !== 0) return [host];
    if (/(^|\.)localhost$/.test(host)) return ['127.0.0.1'];
    const patience = new AbortController();
    try {
      const found = this.resolver.resolve(host).catch(() => []);
      const late = wait(RESOLVE_MS, [], { signal: patience.signal });
      return (await Promise.race([found, late])).map(({ address }) => address);
    } finally {
      patience.abort();
    }
  }
}
