import { BlockList, isIP } from 'node:net';

/** What IANA keeps apart of IPv4: networks that are somebody's own, or nobody's, wherever one asks from. */
const SPECIAL_V4 = [
  '0.0.0.0/8', // this network, and the unspecified address
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by the customers of one provider
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local; clouds tell their secrets there
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
 * All that is handed out of IPv6 so far. Loopback, unique local, link-local, multicast and what carries an IPv4 address
 * (mapped, compatible, NAT64) lie outside, and so does whatever may be invented there next.
 */
const GLOBAL_V6 = ['2000::/3'];

const SPECIAL_V6 = [
  '2001::/23', // protocol assignments; Teredo, which carries an IPv4 address
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which carries an IPv4 address
  '3fff::/20', // documentation
];

const special = networkList([...SPECIAL_V4, ...SPECIAL_V6]);
const global = networkList(GLOBAL_V6);

/** Networks in the notation of CIDR, or single addresses, as a list that can be asked. */
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

/** Whether it is an address that anyone on the internet could mean. What is no address is not public either. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || contains(special, address)) return false;
  return family === 4 || contains(global, address);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
