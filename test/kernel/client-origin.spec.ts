import { describe, expect, it } from '@jest/globals';
import { networkOf } from '../../src/kernel/client-origin.js';

describe('what limits count an address by', () => {
  it.each([
    ['an IPv4 address', '203.0.113.7', '203.0.113.7'],
    ['one that an IPv6 socket shows', '::ffff:203.0.113.7', '203.0.113.7'],
    ['the same as hexadecimal digits', '::ffff:cb00:7107', '203.0.113.7'],
    ['the same in full', '0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['one that was translated', '64:ff9b::203.0.113.7', '203.0.113.7'],
    ['one with the port of its connection', '203.0.113.7:49152', '203.0.113.7'],
    ['an IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['another of the same network', '2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['the same in another spelling', '2001:0DB8:0001:0002:ffff::', '2001:db8:1:2::/64'],
    ['one of the next network', '2001:db8:1:3::6', '2001:db8:1:3::/64'],
    ['one with zeros in front', '2001:db8::1', '2001:db8:0:0::/64'],
    ['one with an IPv4 address at its end', '2001:db8::1:203.0.113.7', '2001:db8:0:0::/64'],
    ['one of a link', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['the machine itself', '::1', '0:0:0:0::/64'],
    ['nothing that is an address', 'unknown', 'unknown'],
  ])('%s', (_what, address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
