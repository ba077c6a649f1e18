import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../measure/statistics.js';
import { each } from '../pace.js';
import { listen } from './listener.js';

/** After that whoever has not been told everything never will be. */
const MAX_WAIT_MS = 25_000;
/** Handshakes under way at once when they come for the first time; they come back all at once. */
const OPENING = 50;
/** Whoever is sent away comes again after what it was told, and up to so much later, twice as much each time. */
const AGAIN_MS = 500;

/** Those who are cut off together, and come back together with their cursors, as the service's own SDK does. */
export class Crowd {
  members = [];

  /** @param sockets `{path, conversation}`, as `listen` takes them, with whose messages they hear */
  async gather({ port, sockets }) {
    this.port = port;
    this.members = sockets.map(spec => ({ spec, seqs: new Set(), cursor: null, synced: false, listener: null }));
    await each(this.members, OPENING, member => this.enter(member));
    return { open: this.members.length };
  }

  cut() {
    for (const member of this.members) {
      member.listener.close();
      member.seqs.clear();
      member.synced = false;
    }
  }

  /** @returns milliseconds until half, and until all, had been told what they missed, and what that took */
  async back() {
    this.handshakes = 0;
    this.refused = 0;
    const begun = performance.now();
    const wholeMs = [];
    const all = this.members.map(async member => {
      await this.enter(member);
      wholeMs.push(performance.now() - begun);
    });
    const late = delay(MAX_WAIT_MS, 'late', { ref: false });
    if ((await Promise.race([Promise.all(all), late])) === 'late') wholeMs.push(MAX_WAIT_MS);
    const { handshakes, refused } = this;
    return { halfMs: quantile(wholeMs, 0.5), wholeMs: Math.max(...wholeMs), handshakes, refused };
  }

  /**
   * @param spans by conversation the `seq` of the first message since all were cut, and of the last
   * @returns how many messages are missing, counted for each who should have heard them
   */
  lacking({ spans }) {
    let missing = 0;
    for (const { spec, seqs } of this.members) {
      const [first, last] = spans[spec.conversation];
      for (let seq = first; seq <= last; seq += 1) if (!seqs.has(seq)) missing += 1;
    }
    return { missing, synced: this.members.filter(({ synced }) => synced).length };
  }

  /** @returns once the service has said all that was missed */
  async enter(member) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.enterOnce(member);
      } catch (error) {
        this.refused += 1;
        await delay((error.retryAfter ?? 1) * 1000 + Math.random() * AGAIN_MS * 2 ** Math.min(attempt, 6));
      }
    }
  }

  enterOnce(member) {
    const { spec, cursor } = member;
    const path = cursor === null ? spec.path : `${spec.path}&after=${encodeURIComponent(cursor)}`;
    this.handshakes += 1;
    return new Promise((done, failed) => {
      const heard = (data, start, end) => {
        const frame = JSON.parse(data.toString('utf8', start, end));
        member.cursor =
          frame.cursor ?? frame.data.to ?? (frame.type === 'connected' ? frame.data.cursor : member.cursor);
        if (frame.type === 'message.created') member.seqs.add(frame.data.message.seq);
        if (frame.type === 'sync.required') member.synced = true;
        const whole = cursor === null ? 'connected' : 'resumed';
        if (frame.type === whole || frame.type === 'sync.required') done();
      };
      listen(this.port, { ...spec, path }, heard, failed).then(listener => (member.listener = listener), failed);
    });
  }
}
