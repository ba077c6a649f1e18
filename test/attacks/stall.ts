import type { Arena } from './arena.js';
import type { Attack, Outcome } from './attack.js';
import type { Measurement } from './neighbour.js';
import { Neighbour } from './neighbour.js';

/** The neighbour's p99 under attack may be ten times its calm p99. A calm p99 below this counts as this. */
const CALM_FLOOR_MS = 20;
const FACTOR = 10;

const at = (sorted: readonly number[], share: number) =>
  sorted.length === 0 ? Infinity : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return times.length === 0 ? 'none' : `${Math.round(at(sorted, 0.5))}/${Math.round(at(sorted, 0.99))} ms`;
}

/** Measurements of an attack, and the broken promises it found itself. */
export type Found = Pick<Outcome, 'figures'> & Partial<Outcome>;

export interface Stall {
  name: string;
  needs?: Attack['needs'];
  /** Duration of the attack in milliseconds. */
  ms?: number;
  /** Prepares the attack. @returns a function that attacks until `over` is true */
  prepare(arena: Arena): Promise<(over: () => boolean) => Promise<Found>>;
}

/** An attack that tries to slow or fill the service, judged by its effect on a neighbour. */
export function stall({ name, needs, ms = 8_000, prepare }: Stall): Attack {
  return {
    name,
    ...(needs ? { needs } : {}),
    async run(arena): Promise<Outcome> {
      const attack = await prepare(arena);
      const neighbour = await Neighbour.open(arena.urls);
      try {
        const calm = await neighbour.measure(3_000);
        const memory = arena.residentMiB();
        let over = false;
        const attacking = attack(() => over);
        const attacked = await neighbour.measure(ms);
        over = true;
        const grown = arena.alive.length === 0 ? 0 : arena.residentMiB() - memory;
        const { figures, broken = [] } = await attacking;
        return {
          figures: { ...describe(calm, attacked), 'memory +MiB': grown, ...figures },
          broken: [...judge(calm, attacked), ...broken],
        };
      } finally {
        neighbour.close();
      }
    },
  };
}

function describe(calm: Measurement, attacked: Measurement): Record<string, string> {
  return {
    'requests p50/p99': `${spread(calm.requests)} → ${spread(attacked.requests)}`,
    'delivery p50/p99': `${spread(calm.deliveries)} → ${spread(attacked.deliveries)}`,
    'logins p50/p99': `${spread(calm.logins)} → ${spread(attacked.logins)}`,
    refused:
      Object.entries(attacked.refused)
        .map(([status, count]) => `${count} × ${status}`)
        .join(', ') || 'none',
  };
}

function judge(calm: Measurement, attacked: Measurement): string[] {
  const broken: string[] = [];
  for (const [figure, before, during] of [
    ['requests', calm.requests, attacked.requests],
    ['delivery', calm.deliveries, attacked.deliveries],
    ['logins', calm.logins, attacked.logins],
  ] as const) {
    const bar =
      FACTOR *
      Math.max(
        CALM_FLOOR_MS,
        at(
          before.toSorted((a, b) => a - b),
          0.99,
        ),
      );
    const p99 = at(
      during.toSorted((a, b) => a - b),
      0.99,
    );
    if (p99 > bar)
      broken.push(`the neighbour's ${figure} p99 is ${Math.round(p99)} ms, more than ${Math.round(bar)} ms`);
  }
  const refused = Object.values(attacked.refused).reduce((sum, count) => sum + count, 0);
  if (refused > 0) broken.push(`${refused} requests of the neighbour failed`);
  if (attacked.undelivered > 0) broken.push(`${attacked.undelivered} messages of the neighbour were not delivered`);
  return broken;
}
