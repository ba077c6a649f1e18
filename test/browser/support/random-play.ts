import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { BalancedService } from './balanced-service.js';
import { PATIENCE_MS } from './company.js';

type Network = 'up' | 'cut' | 'silent' | 'offline';

/** Something that happens at random, with its weight. */
export type Step = readonly [weight: number, name: string, run: () => Promise<unknown>];

/** Random steps of people on a network that breaks, with two instances of which one restarts. */
export abstract class RandomPlay {
  /** Names of the steps so far, for the message of a failure. */
  readonly log: string[] = [];
  protected network: Network = 'up';
  protected starting: Promise<void> | undefined;

  protected constructor(
    private readonly service: BalancedService,
    protected readonly random: () => number,
  ) {}

  protected abstract readonly steps: readonly Step[];

  /** Repairs everything, and compares what each side has with the model. */
  abstract settle(): Promise<void>;

  /** Cuts the browsers off, or connects them again, without a change of the service's network. */
  protected abstract setOffline(isOffline: boolean): Promise<unknown>;

  /** Takes as many steps, and settles after some of them and before `end`. A failure shows the steps. */
  async run(count: number, settleEvery: number, end: () => Promise<unknown>): Promise<void> {
    try {
      for (let taken = 1; taken <= count; taken += 1) {
        await this.step();
        if (taken % settleEvery === 0) await this.settle();
      }
      await end();
    } catch (error) {
      throw new Error(`${this.log.join(', ')}: ${(error as Error).message}`, { cause: error });
    } finally {
      await this.service.network.heal();
    }
  }

  private async step(): Promise<void> {
    const total = this.steps.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.random() * total;
    const [, name, run] = this.steps.find(([weight]) => (left -= weight) < 0)!;
    this.log.push(name);
    await run();
  }

  protected pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.random() * list.length)];
  }

  protected async breakNetwork(): Promise<void> {
    if (this.network !== 'up') return;
    this.network = this.pick<Network>(['cut', 'silent', 'offline'])!;
    this.log.push(this.network);
    if (this.network === 'cut') await this.service.network.refuse();
    else if (this.network === 'silent') this.service.network.swallow();
    else await this.setOffline(true);
  }

  protected async heal(): Promise<void> {
    if (this.network === 'offline') await this.setOffline(false);
    else await this.service.network.heal();
    this.network = 'up';
  }

  protected async restart(): Promise<void> {
    await this.starting;
    const { fleet } = this.service;
    const index = this.random() < 0.5 ? 0 : 1;
    await fleet.instance(index).stop();
    this.starting = fleet.run(index);
  }

  /** Waits until a reading has the expected value. A failure shows both. */
  protected async agrees<T>(name: string, read: () => T | Promise<T>, expected: T): Promise<void> {
    const target = JSON.stringify(expected);
    const isEqual = async () => (JSON.stringify(await read()) === target ? true : undefined);
    await eventually(isEqual, PATIENCE_MS).catch(async () => expect([name, await read()]).toEqual([name, expected]));
  }
}
