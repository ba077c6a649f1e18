import type { Fault } from './fault.js';
import type { StageOptions } from './stage.js';
import { Stage } from './stage.js';

/** The stages of seeds that run one after another: a shared one, and dedicated ones for faults that need more. */
export class Stages {
  /** By the options of the faults that reuse it. */
  private readonly reused = new Map<StageOptions, Stage>();
  private readonly dedicated = new Set<Stage>();

  constructor(readonly shared: Stage) {}

  /** Runs on the stage that the fault needs. */
  async with<T>({ stage: options, reusesStage }: Fault, work: (stage: Stage) => Promise<T>): Promise<T> {
    if (!options) return work(this.shared);
    const stage = this.reused.get(options) ?? (await Stage.open('dedicated', options));
    this.dedicated.add(stage);
    if (reusesStage) this.reused.set(options, stage);
    try {
      return await work(stage);
    } finally {
      if (!reusesStage) {
        this.dedicated.delete(stage);
        await stage.close();
      }
    }
  }

  /** Closes all, also one in use. */
  async close(): Promise<void> {
    await Promise.all([this.shared, ...this.dedicated].map(stage => stage.close()));
  }
}
