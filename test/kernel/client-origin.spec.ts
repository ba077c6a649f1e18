import { describe, expect, it } from '@jest/globals';
import { networkOf } from '../../src/kernel/client-origin.js';

describe('networkOf', () => {
  it.each([
    ['an IPv4 address', '203.0.113.7', '203.0.113.7'],
    ['an IPv4-mapped IPv6 address', '::ffff:203.0.113.7', '203.0.113.7'],
    ['an IPv4-mapped address in hexadecimal digits', '::ffff:cb00:7107', '203.0.113.7'],
    ['an IPv4-mapped address written in full', '0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['a NAT64 address', '64:ff9b::203.0.113.7', '203.0.113.7'],
    ['an IPv4 address with a port', '203.0.113.7:49152', '203.0.113.7'],
    ['an IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['another IPv6 address of the same /64', '2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['an IPv6 address in another spelling', '2001:0DB8:0001:0002:ffff::', '2001:db8:1:2::/64'],
    ['an IPv6 address of the next /64', '2001:db8:1:3::6', '2001:db8:1:3::/64'],
    ['an IPv6 address with omitted zero groups', '2001:db8::1', '2001:db8:0:0::/64'],
    ['an IPv6 address that ends in IPv4 notation', '2001:db8::1:203.0.113.7', '2001:db8:0:0::/64'],
    ['a link-local address with a zone', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['the loopback address', '::1', '0:0:0:0::/64'],
    ['text that is not an address', 'unknown', 'unknown'],
  ])('`networkOf` maps %s to its network', (_kind, address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
