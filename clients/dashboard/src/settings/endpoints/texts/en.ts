import type { Entry } from '@support-chat/ui/translator.js';

export const en = {
  enabled: 'Enabled',
  disabled: 'Disabled',
  disable: 'Disable',
  done: 'Done',
  secret: 'Signing secret',
  secretIntro:
    'Each request is signed, so that your server can check that it comes from here. Rotate the secret if somebody else may know it.',
  secretReady: 'Signing secret of {name}',
  secretUse: 'Your server checks the signature of each request with this secret.',
  secretOverlap: 'Put it into your server within 24 hours. Until then each request is signed with the old one too.',
  secretHint: 'Copy it now. You will not see this again.',
  rotate: 'Rotate secret',
  rotateTitle: 'Rotate the secret of {name}?',
  rotateText: 'You get a new secret, once. The old one stays valid for 24 hours, then it ends.',
  deleteTitle: 'Delete {name}?',
  test: 'Test',
  runTest: 'Send test',
  testTimeout: 'There was no answer in time. The server may have received the test.',
  addressMissing: 'There is no address yet. Enter one and save it first.',
  latency: '{ms} ms',
  answered: 'Your server answered with {status} after {latency}.',
  answeredBadly: 'Your server answered with {status} after {latency}. Only 200 to 299 counts as success.',
  unreachable:
    'Not reached: nothing answered in time, the port is closed, or the address leads to a private network, which is never called.',
  addressInvalid: 'Enter a whole address that begins with https://.',
  httpsRequired: 'The address must begin with https://.',
  addressNotAllowed: 'This address leads to a private network, which is never called.',
  addressWithPassword: 'Leave user name and password out of the address.',
  portNotAllowed: 'Use port 80, 443 or one above 1023.',
} satisfies Record<string, Entry>;

export type EndpointsKey = keyof typeof en;
