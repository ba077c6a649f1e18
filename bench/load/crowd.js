import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../measure/statistics.js';
import { each } from '../pace.js';
import { listen } from './listener.js';

/** Limit for receiving all missed messages. */
const MAX_WAIT_MS = 25_000;
/** Concurrent handshakes of the first connections; all sockets reconnect at once. */
const OPENING = 50;
/** Maximum random wait in addition to `Retry-After` after a refusal; doubles with each attempt. */
const AGAIN_MS = 500;

/** Sockets that disconnect together and reconnect together with their cursors, like the service's SDK. */
export class Crowd {
  members = [];

  /** @param sockets `{path, conversation}` for `listen`, with the conversation whose messages they receive */
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

  /** @returns milliseconds until half and until all sockets were complete, and the number of handshakes and refusals */
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
   * @param spans by conversation the `seq` of the first missed message and of the last
   * @returns the number of missing messages, summed over all sockets
   */
  lacking({ spans }) {
    let missing = 0;
    for (const { spec, seqs } of this.members) {
      const [first, last] = spans[spec.conversation];
      for (let seq = first; seq <= last; seq += 1) if (!seqs.has(seq)) missing += 1;
    }
    return { missing, synced: this.members.filter(({ synced }) => synced).length };
  }

  /** @returns when the service has replayed all missed messages */
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
      const receive = (data, start, end) => {
        const frame = JSON.parse(data.toString('utf8', start, end));
        member.cursor =
          frame.cursor ?? frame.data.to ?? (frame.type === 'connected' ? frame.data.cursor : member.cursor);
        if (frame.type === 'message.created') member.seqs.add(frame.data.message.seq);
        if (frame.type === 'sync.required') member.synced = true;
        const lastType = cursor === null ? 'connected' : 'resumed';
        if (frame.type === lastType || frame.type === 'sync.required') done();
      };
      listen(this.port, { ...spec, path }, receive, failed).then(listener => (member.listener = listener), failed);
    });
  }
}
