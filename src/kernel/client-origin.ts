import { isIPv4, isIPv6 } from 'node:net';

/** The origin of a request. Rate limits and the event log identify callers without a credential by it. */
export interface ClientOrigin {
  address: string;
  /** The key that rate limits count by: see `networkOf`. */
  network: string;
  userAgent: string | null;
}

/** First six groups of IPv6 addresses that embed an IPv4 address: IPv4-mapped (sockets) and NAT64 (networks). */
const IPV4_PREFIXES = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];
const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;
const IPV4_TAIL = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/;

/**
 * Returns the network of an address, in one canonical form: the /64 of an IPv6 address, because its owner can use any
 * of the 2^64 addresses in it. An IPv4 address is returned as it is, without a port and also when embedded in IPv6.
 */
export function networkOf(address: string): string {
  const ipv4 = WITH_PORT.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  if (IPV4_PREFIXES.includes(formatGroups(groups.slice(0, 6)))) {
    return groups
      .slice(6)
      .flatMap(group => [group >> 8, group & 0xff])
      .join('.');
  }
  return `${formatGroups(groups.slice(0, 4))}::/64`;
}

/**
 * Returns the site of a network from `networkOf`: /24 for IPv4, /48 for IPv6. Fair queues share by site, because rented
 * servers often have several neighbouring addresses.
 */
export function siteOf(network: string): string {
  if (isIPv4(network)) return `${network.slice(0, network.lastIndexOf('.'))}.0/24`;
  const [groups = '', size] = network.split('::/');
  return size === '64' ? `${groups.split(':').slice(0, 3).join(':')}::/48` : network;
}

/** Parses an IPv6 address into its eight 16-bit groups. */
function groupsOf(address: string): number[] {
  const bare = (address.split('%')[0] ?? '').replace(IPV4_TAIL, (_tail, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return formatGroups([(a << 8) | b, (c << 8) | d]);
  });
  const [head = '', tail = ''] = bare.split('::');
  const [before, after] = [head, tail].map(half => half.split(':').filter(group => group !== '')) as [
    string[],
    string[],
  ];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map(group => Number.parseInt(group, 16));
}

function formatGroups(groups: number[]): string {
  return groups.map(group => group.toString(16)).join(':');
}
