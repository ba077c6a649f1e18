import { lookup } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { Injectable } from '@nestjs/common';

/** Names as the system resolves them, its hosts file included: what is checked is what would be connected to. */
@Injectable()
export class Resolver {
  /** @throws Error when nothing answers to the name */
  resolve(name: string): Promise<LookupAddress[]> {
    return lookup(name, { all: true });
  }
}
