import { setTimeout as delay } from 'node:timers/promises';
import { listen } from './listener.js';

/** Time within which a write to a closed connection fails, on one machine. */
const ANSWER_MS = 50;

/** Sockets that connect and then stop reading. */
export class Stalled {
  members = [];

  /**
   * Keeps one stalled socket per entry of `sockets`; an empty list closes all.
   * @returns the number of stalled sockets that the server has disconnected since the last call
   */
  async stall({ port, sockets }) {
    const before = this.members;
    // a socket that does not read sees no end, but a write to a closed connection fails
    for (let time = 0; time < 2 && before.length > 0; time += 1) {
      for (const { listener } of before) listener.prod();
      await delay(ANSWER_MS);
    }
    this.members = before.filter(({ cut }) => !cut);
    const cut = before.length - this.members.length;
    while (this.members.length > sockets.length) this.members.pop().listener.close();
    while (this.members.length < sockets.length) {
      const member = { cut: false, listener: null };
      const nothing = () => undefined;
      member.listener = await listen(port, sockets[this.members.length], nothing, () => (member.cut = true));
      member.listener.stall();
      this.members.push(member);
    }
    return { cut };
  }
}
