/**
 * The time that a run has. Each scenario has its share, and what those before it have left; when that is over it plays
 * no further round, so that the run ends in time and every scenario has been played.
 */
export class Budget {
  begun = performance.now();
  repeating = 0;

  /** @param limitMs of the whole run @param count of its scenarios */
  constructor(limitMs, count) {
    this.limitMs = limitMs;
    this.count = count;
  }

  get spentMs() {
    return performance.now() - this.begun;
  }

  /** @param index of the scenario that begins, from 0 */
  begin(index) {
    this.until = ((index + 1) / this.count) * this.limitMs * 0.95;
  }

  /** Whether another scenario may begin: none that would have to be cut. */
  get over() {
    return this.spentMs > this.limitMs * 0.75;
  }

  /** Whether another round may begin. */
  allows() {
    return this.spentMs < this.until;
  }

  /** Whether a disturbed round may be played again: a tenth of the time goes to that, no more. */
  allowsAgain() {
    return this.allows() && this.repeating < this.limitMs / 10;
  }

  /** Plays a round again, on that account. */
  async again(play) {
    const begun = performance.now();
    try {
      return await play();
    } finally {
      this.repeating += performance.now() - begun;
    }
  }
}
