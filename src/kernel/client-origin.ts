import { isIPv4, isIPv6 } from 'node:net';

/** Where a request comes from; what limits and the event log know of a caller without a credential. */
export interface ClientOrigin {
  address: string;
  /** What limits count by: see `networkOf`. */
  network: string;
  userAgent: string | null;
}

/** The first six groups of IPv6 addresses that stand for an IPv4 one: as a socket shows it, and as a network translates it. */
const STAND_FOR_IPV4 = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];
const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;
const IPV4_TAIL = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/;

/**
 * The network that an address stands for, however it is spelt. Whoever has one IPv6 address has the 2^64 of its network,
 * and could come from another each time; an IPv4 address is its own, also inside an IPv6 one, or with the port that some
 * proxies add.
 */
export function networkOf(address: string): string {
  const ipv4 = WITH_PORT.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  if (STAND_FOR_IPV4.includes(spelt(groups.slice(0, 6)))) {
    return groups
      .slice(6)
      .flatMap(group => [group >> 8, group & 0xff])
      .join('.');
  }
  return `${spelt(groups.slice(0, 4))}::/64`;
}

/**
 * The site that a network of `networkOf` belongs to, for fair shares: /24 of IPv4, /48 of IPv6. Whoever rents a server
 * has several addresses side by side.
 */
export function siteOf(network: string): string {
  if (isIPv4(network)) return `${network.slice(0, network.lastIndexOf('.'))}.0/24`;
  const [groups = '', size] = network.split('::/');
  return size === '64' ? `${groups.split(':').slice(0, 3).join(':')}::/48` : network;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const bare = (address.split('%')[0] ?? '').replace(IPV4_TAIL, (_tail, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return spelt([(a << 8) | b, (c << 8) | d]);
  });
  const [head = '', tail = ''] = bare.split('::');
  const [before, after] = [head, tail].map(part => part.split(':').filter(group => group !== '')) as [
    string[],
    string[],
  ];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map(group => Number.parseInt(group, 16));
}

function spelt(groups: number[]): string {
  return groups.map(group => group.toString(16)).join(':');
}
