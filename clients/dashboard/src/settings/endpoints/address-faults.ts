import type { TextKey } from './texts/index.js';

/** Texts by the reason why the service refuses to call an address. */
export const ADDRESS_FAULTS = {
  https_required: 'httpsRequired',
  address_not_allowed: 'addressNotAllowed',
  credentials: 'addressWithPassword',
  port_not_allowed: 'portNotAllowed',
} as const satisfies Record<string, TextKey>;

/** The server of an address, such as `shop.example:8443`. The address itself, if it is none. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
