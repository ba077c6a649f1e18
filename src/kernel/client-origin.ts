import { isIPv6 } from 'node:net';

/** Where a request comes from; what limits and the event log know of a caller without a credential. */
export interface ClientOrigin {
  address: string;
  /** What limits count by: see `networkOf`. */
  network: string;
  userAgent: string | null;
}

const WITHIN_IPV6 = /^(?:::ffff:|64:ff9b::)(\d+\.\d+\.\d+\.\d+)$/i;
const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;

/**
 * The network that an address stands for. Whoever has one IPv6 address has the 2^64 of its network, and could come from
 * another each time; an IPv4 address is its own, also inside an IPv6 one, or with the port that some proxies add.
 */
export function networkOf(address: string): string {
  const ipv4 = (WITHIN_IPV6.exec(address) ?? WITH_PORT.exec(address))?.[1];
  if (ipv4 !== undefined) return ipv4;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = head.split(':').filter(group => group !== '');
  // what `::` leaves out is zeros, and of the last four groups nobody asks
  if (tail !== undefined) {
    const after = tail.split(':').filter(group => group !== '');
    const width = groups.length + after.length + (tail.includes('.') ? 1 : 0);
    groups.push(...Array.from({ length: 8 - width }, () => '0'), ...after);
  }
  const network = groups.slice(0, 4).map(group => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
