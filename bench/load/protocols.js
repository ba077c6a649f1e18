import { listen } from './listener.js';
import * as mqtt from './mqtt.js';
import * as nats from './nats.js';
import { Requester, requestTo } from './requests.js';

const web = { listen, open: Requester.open, requestTo };
const protocols = { mqtt, nats };

/**
 * Returns the client functions for the `protocol` of a target or socket; default HTTP and WebSocket.
 * @returns `{listen, open, requestTo}`
 */
export function protocolOf({ protocol } = {}) {
  return protocol === undefined ? web : protocols[protocol];
}
