import { setTimeout as delay } from 'node:timers/promises';
import { listen } from './listener.js';

/** The answer to what was written to a cut connection is there by then, on one machine. */
const ANSWER_MS = 50;

/** Sockets that are let in and read nothing after that. */
export class Stalled {
  members = [];

  /**
   * As many as these are stalled from now on; none, and all go.
   * @returns how many of those who were have been cut off by the server
   */
  async stall({ port, sockets }) {
    const before = this.members;
    // who reads nothing hears of no end, but cannot write into one
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
