/** Share of the time for scenarios; the rest is for cleaning up. */
const SPENT = 0.985;
/** Default seconds of a scenario on an idle machine. */
const USUAL = 40;
/** Default seconds of one round on a busy machine. */
const LEAST = { full: 60, quick: 20 };

/**
 * Time budget of a run. Each scenario has its share plus what earlier scenarios left. When that is used up, it starts
 * no further round, so that the run ends in time and includes every scenario.
 */
export class Budget {
  repeatedMs = 0;
  promised = 0;

  /** @param limitMs limit of the whole run @param scenarios all scenarios to run, with `takes` in seconds */
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

  /** Returns true if the scenario can start without being cut short. @param mode `full` or `quick` */
  hasRoomFor({ least = LEAST }, mode) {
    return this.spentMs + least[mode] * 1000 <= this.limitMs * SPENT;
  }

  /** Returns true if another round may start. */
  allows() {
    return this.spentMs < this.untilMs;
  }

  /** Returns true if a disturbed round may be repeated: repeats use at most a tenth of the time. */
  allowsAgain() {
    return this.allows() && this.repeatedMs < this.limitMs / 10;
  }

  /** Repeats a round and counts its time as repeated. */
  async again(play) {
    const begun = this.now();
    try {
      return await play();
    } finally {
      this.repeatedMs += this.now() - begun;
    }
  }
}
