import { each } from '../pace.js';
import { connects } from './connects.js';
import { Crowd } from './crowd.js';
import { drive } from './drive.js';
import { Endpoints } from './endpoints.js';
import { logins } from './logins.js';
import { protocolOf } from './protocols.js';
import { Stalled } from './stalled.js';
import { Tally } from './tally.js';

/** Process that generates load and measures the results. `load.js` sends it commands. */

/** Concurrent handshakes. */
const OPENING = 50;

const tally = new Tally();
const crowd = new Crowd();
const stalled = new Stalled();
const endpoints = new Endpoints();
let listeners = [];
let lost = [];

const commands = {
  /** Opens sockets that receive messages, in addition to the open ones. */
  async open({ port, sockets }) {
    const receive = (data, start, end) => tally.receive(data, start, end);
    const cut = reason => lost.push(reason);
    const { listen } = protocolOf(sockets[0]);
    listeners.push(...(await each(sockets, OPENING, spec => listen(port, spec, receive, cut))));
    return { open: listeners.length };
  },
  /** Starts servers that receive webhooks. */
  receive: wants => endpoints.open(wants, (data, start, end) => tally.receive(data, start, end)),
  async close() {
    endpoints.close();
    for (const listener of listeners.splice(0)) listener.close();
    lost = [];
  },
  async drive(wants) {
    const measured = await drive(tally, wants);
    if (lost.length > 0) throw new Error(`${lost.length} listeners were lost, the first: ${lost[0]}`);
    return measured;
  },
  connects,
  logins,
  gather: wants => crowd.gather(wants),
  cut: () => crowd.cut(),
  back: () => crowd.back(),
  lacking: wants => crowd.lacking(wants),
  stall: wants => stalled.stall(wants),
};

process.once('disconnect', () => process.exit());
process.on('message', async ({ command, wants }) => {
  try {
    process.send({ result: await commands[command](wants) });
  } catch (error) {
    process.send({ error: error.message });
  }
});
