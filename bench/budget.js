/** The rest is for putting it all away. */
const SPENT = 0.985;
/** Seconds that a scenario takes on a machine with nothing else to do, where it does not say. */
const USUAL = 40;
/** And what one round of it takes where others are busy. */
const LEAST = { full: 60, quick: 20 };

/**
 * The time that a run has. Each scenario has its share, and what those before it have left; when that is over it plays
 * no further round, so that the run ends in time and every scenario has been played.
 */
export class Budget {
  repeatedMs = 0;
  promised = 0;

  /** @param limitMs of the whole run @param scenarios all that are to be played; `takes` says how long each does, in s */
  constructor(limitMs, scenarios, now = () => performance.now()) {
    this.now = now;
    this.begun = now();
    this.limitMs = limitMs;
    this.whole = scenarios.reduce((sum, { takes = USUAL }) => sum + takes, 0);
  }

  get spentMs() {
    return this.now() - this.begun;
  }

  begin({ takes = USUAL }) {
    this.promised += takes;
    this.untilMs = (this.promised / this.whole) * this.limitMs * SPENT;
  }

  /** Whether it may begin, and would not have to be cut. @param mode `full` or `quick` */
  hasRoomFor({ least = LEAST }, mode) {
    return this.spentMs + least[mode] * 1000 <= this.limitMs * SPENT;
  }

  /** Whether another round may begin. */
  allows() {
    return this.spentMs < this.untilMs;
  }

  /** Whether a disturbed round may be played again: a tenth of the time goes to that, no more. */
  allowsAgain() {
    return this.allows() && this.repeatedMs < this.limitMs / 10;
  }

  /** Plays a round again, on that account. */
  async again(play) {
    const begun = this.now();
    try {
      return await play();
    } finally {
      this.repeatedMs += this.now() - begun;
    }
  }
}
