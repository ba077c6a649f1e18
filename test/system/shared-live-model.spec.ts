import { describe, expect, it } from '@jest/globals';
import { seeded } from '../support/seeded.js';
import { browser, log, pass } from '../sdk/browser-for-each.js';
import type { FakeTab } from '../sdk/fake-browser.js';
import { SharedApp } from '../sdk/shared-app.js';

/** TABS_SEEDS sets the number of plays, TABS_STEPS their length, and TABS_SEED the first seed, to repeat a play. */
const STEPS = Number(process.env.TABS_STEPS ?? 100);
const FIRST = Number(process.env.TABS_SEED ?? process.env.MODEL_SEED ?? 1);
const SEEDS = Array.from({ length: Number(process.env.TABS_SEEDS ?? 20) }, (_nothing, index) => FIRST + index);

const MAX_TABS = 8;
/** Longer than any wait of the SDK: between two attempts, and for the next ping that shows a lost message. */
const SETTLE_MS = 70_000;

/** Longer than the SDK needs for a change of the leader. */
const CALM_MS = 1_500;

/** A browser in which random things happen to tabs, and what must be true once it is left in peace. */
class TabsPlay {
  private readonly story: string[] = [];
  /** All apps that ever ran, also in tabs that have ended. */
  private readonly apps: SharedApp[] = [];
  private readonly closed = new Set<SharedApp>();
  private readonly away = new Set<FakeTab>();
  /** Tabs that have left their page or were suspended at some time. */
  private readonly paused = new Set<FakeTab>();
  private readonly random: () => number;
  private waitMs = 0;
  private minWaitMs = 0;
  /** Numbers of the events that no change of the leader coincides with. */
  private readonly calmEvents: number[] = [];

  constructor(
    seed: number,
    private readonly losesMessages: boolean,
  ) {
    this.random = seeded(seed);
    browser.delayMs = () => 1 + Math.floor(this.random() * 20);
  }

  async run(steps: number): Promise<void> {
    this.open();
    for (let step = 0; step < steps; step++) {
      this.pick(this.actions())();
      this.waitMs = Math.max(this.minWaitMs, this.pick([0, 0, 5, 30, 100, 400, 1_500, 4_000]));
      this.minWaitMs = 0;
      this.story.push(`  wait ${this.waitMs} ms`);
      await pass(this.waitMs);
    }
    await this.settle();
  }

  check(): void {
    const living = this.living;
    expect(living.filter(({ isLeader }) => isLeader)).toHaveLength(1);
    expect(log.openSockets).toBe(1);
    for (const { live, events, newEvents, known } of living) {
      expect(live.state).toBe('connected');
      expect(new Set(events).size).toBe(events.length);
      expect(newEvents).toEqual([...newEvents].sort((a, b) => a - b));
      expect(known.size).toBe(log.last);
    }
    if (this.losesMessages) return;
    const calm = (app: SharedApp) => app.notified.filter(number => this.calmEvents.includes(number));
    expect(new Set(this.apps.flatMap(calm))).toEqual(new Set(this.calmEvents));
    // A tab that comes back when no other one has its events notifies of them again.
    const steady = this.apps.filter(({ tab }) => !this.paused.has(tab)).flatMap(calm);
    expect(steady).toHaveLength(new Set(steady).size);
  }

  /** Steps of the play, and what each tab has received. */
  describe(): string {
    const tabs = this.apps.map(({ events, notified, reads }, index) => {
      return `tab ${index}: events ${events.join(' ')}; notified of ${notified.join(' ')}; read up to ${reads.join(' ')}`;
    });
    return [...this.story, ...tabs].join('\n  ');
  }

  private get living(): SharedApp[] {
    return this.apps.filter(app => !app.tab.hasEnded && !this.closed.has(app));
  }

  private open(): void {
    this.apps.push(new SharedApp(browser.openTab(this.random() < 0.5), log));
  }

  /** Everything that can happen now, by its name in the story. */
  private actions(): (() => void)[] {
    const { living } = this;
    const app = living.length > 0 ? this.pick(living) : undefined;
    const all: (() => void)[] = [];
    const add = (name: string, act: () => void, weight = 1): void => {
      const step = (): void => {
        this.story.push(name);
        act();
      };
      for (let times = 0; times < weight; times++) all.push(step);
    };
    if (living.length < MAX_TABS) add('open a tab', () => this.open(), living.length < 3 ? 3 : 1);
    add('append events', () => this.append(), 5);
    add(log.refusal ? 'heal the network' : 'cut the network', () => this.switchNetwork());
    add('end all connections', () => log.cut());
    if (this.losesMessages) add('change the losses', () => this.changeLosses());
    if (app) this.addActionsOn(app, (name, act) => add(`${name} tab ${this.apps.indexOf(app)}`, act));
    return all;
  }

  private addActionsOn(app: SharedApp, add: (name: string, act: () => void) => void): void {
    const { tab } = app;
    add('kill', () => tab.end());
    if (this.away.has(tab)) return add('come back to', () => this.comeBack(tab));
    if (tab.isSuspended) return add('resume', () => tab.resume());
    add('close', () => {
      app.close();
      this.closed.add(app);
    });
    add('leave', () => {
      this.paused.add(tab);
      this.away.add(tab);
      tab.leave();
    });
    add('suspend', () => {
      this.paused.add(tab);
      tab.suspend();
    });
    if (tab.isVisible()) add('hide', () => tab.hide());
    else add('show', () => tab.show());
  }

  private append(): void {
    const count = 1 + Math.floor(this.random() * 3);
    const isLed = this.living.some(app => app.isLeader && app.live.state === 'connected' && !app.tab.isSuspended);
    log.append(count);
    if (!isLed || this.waitMs < CALM_MS) return;
    for (let number = log.last - count + 1; number <= log.last; number++) this.calmEvents.push(number);
    this.minWaitMs = 100;
  }

  private comeBack(tab: FakeTab): void {
    this.away.delete(tab);
    tab.comeBack();
  }

  private switchNetwork(): void {
    log.refusal = log.refusal ? undefined : 1006;
    if (log.refusal) log.cut();
  }

  private changeLosses(): void {
    const share = this.pick([0, 0.1, 0.5, 1]);
    browser.isLost = () => this.random() < share;
  }

  /** Ends all disturbances, and waits until nothing changes any more. */
  private async settle(): Promise<void> {
    browser.isLost = () => false;
    log.refusal = undefined;
    for (const { tab } of this.living) {
      if (this.away.has(tab)) this.comeBack(tab);
      tab.resume();
    }
    if (this.living.length === 0) this.open();
    this.living[0]!.tab.show();
    await pass(SETTLE_MS);
    log.append(1);
    await pass(1_000);
  }

  private pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.random() * choices.length)]!;
  }
}

async function play(seed: number, losesMessages: boolean): Promise<void> {
  const tabs = new TabsPlay(seed, losesMessages);
  try {
    await tabs.run(STEPS);
    tabs.check();
  } catch (error) {
    process.stderr.write(`TABS_SEED=${seed} TABS_SEEDS=1 repeats this play:\n  ${tabs.describe()}\n`);
    throw error;
  }
}

describe('Tabs to which random things happen', () => {
  it.each(SEEDS)(
    'Each tab that lives receives each event once and in order by one socket, and one tab notifies of it, seed %d',
    seed => play(seed, false),
  );

  it.each(SEEDS)(
    'Each tab that lives learns of each event once and in order by one socket when messages between tabs are lost, seed %d',
    seed => play(seed, true),
  );
});
