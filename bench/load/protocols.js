import { listen } from './listener.js';
import * as mqtt from './mqtt.js';
import * as nats from './nats.js';
import { Requester, requestTo } from './requests.js';

const web = { listen, open: Requester.open, requestTo };
const protocols = { mqtt, nats };

/**
 * How to speak with whom a target or a socket leads to: by its `protocol`, or else HTTP and WebSocket.
 * @returns `{listen, open, requestTo}`
 */
export function speakingOf({ protocol } = {}) {
  return protocol === undefined ? web : protocols[protocol];
}
