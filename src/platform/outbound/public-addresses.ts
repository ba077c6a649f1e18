import { BlockList, isIP } from 'node:net';

/** IANA's special-purpose IPv4 networks, which are not reachable on the internet. */
const SPECIAL_V4 = [
  '0.0.0.0/8', // this network, and the unspecified address
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by the customers of one provider
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local; cloud metadata services reveal secrets there
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
];

/**
 * The IPv6 range that IANA allocates as global unicast. It excludes loopback, unique local, link-local, multicast and
 * addresses that embed IPv4 (mapped, compatible, NAT64), and any special range that is defined later.
 */
const GLOBAL_V6 = ['2000::/3'];

const SPECIAL_V6 = [
  '2001::/23', // protocol assignments; Teredo, which embeds an IPv4 address
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which embeds an IPv4 address
  '3fff::/20', // documentation
];

const special = networkList([...SPECIAL_V4, ...SPECIAL_V6]);
const global = networkList(GLOBAL_V6);

/** Builds a BlockList from CIDR networks and single addresses. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = familyOf(address);
    list.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return list;
}

export function contains(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

/** Returns true for an address of the public internet, and false for a text that is not an address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || contains(special, address)) return false;
  return family === 4 || contains(global, address);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
