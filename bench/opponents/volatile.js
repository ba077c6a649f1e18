import { execFileSync } from 'node:child_process';

/**
 * Servers that pass messages on and keep none: a class of their own, in a table of their own. None of them is driven
 * yet; each is named with the reason, so that nobody takes the tables for complete.
 */
export const volatile = [
  ['ejabberd', 'ejabberdctl', 'XMPP'],
  ['NATS', 'nats-server', 'the protocol of NATS'],
  ['mosquitto', 'mosquitto', 'MQTT'],
  ['centrifugo', 'centrifugo', 'the protocol of centrifuge'],
].map(([name, program, protocol]) => ({
  id: name.toLowerCase(),
  name,
  durable: false,
  absent: () =>
    isInstalled(program) ? `installed, but the load does not speak ${protocol}` : `${program} is not installed`,
}));

function isInstalled(program) {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
