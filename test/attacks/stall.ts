import type { Arena } from './arena.js';
import type { Attack, Outcome } from './attack.js';
import type { Measurement } from './neighbour.js';
import { Neighbour } from './neighbour.js';

/** p99 of a neighbour under attack may be ten times its calm one; a calm one below this counts as this. */
const CALM_FLOOR_MS = 20;
const FACTOR = 10;

const at = (sorted: readonly number[], share: number) =>
  sorted.length === 0 ? Infinity : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return times.length === 0 ? 'none' : `${Math.round(at(sorted, 0.5))}/${Math.round(at(sorted, 0.99))} ms`;
}

/** Figures of an attack, and promises that it saw broken. */
export type Found = Pick<Outcome, 'figures'> & Partial<Outcome>;

export interface Stall {
  name: string;
  needs?: Attack['needs'];
  /** Length of the attack in milliseconds. */
  ms?: number;
  /** Prepares the attack. @returns the attack, which goes on until `over` says so, and what it found by itself */
  prepare(arena: Arena): Promise<(over: () => boolean) => Promise<Found>>;
}

/** An attack that tries to slow or fill the service, judged by what a neighbour feels of it. */
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
        const felt = await neighbour.measure(ms);
        over = true;
        const grown = arena.alive.length === 0 ? 0 : arena.residentMiB() - memory;
        const { figures, broken = [] } = await attacking;
        return {
          figures: { ...describe(calm, felt), 'memory +MiB': grown, ...figures },
          broken: [...judge(calm, felt), ...broken],
        };
      } finally {
        neighbour.close();
      }
    },
  };
}

function describe(calm: Measurement, felt: Measurement): Record<string, string> {
  return {
    'requests p50/p99': `${spread(calm.requests)} → ${spread(felt.requests)}`,
    'delivery p50/p99': `${spread(calm.deliveries)} → ${spread(felt.deliveries)}`,
    'logins p50/p99': `${spread(calm.logins)} → ${spread(felt.logins)}`,
    refused:
      Object.entries(felt.refused)
        .map(([status, count]) => `${count} × ${status}`)
        .join(', ') || 'none',
  };
}

function judge(calm: Measurement, felt: Measurement): string[] {
  const broken: string[] = [];
  for (const [what, before, during] of [
    ['requests', calm.requests, felt.requests],
    ['delivery', calm.deliveries, felt.deliveries],
    ['logins', calm.logins, felt.logins],
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
      broken.push(`p99 of the neighbour's ${what} is ${Math.round(p99)} ms, more than ${Math.round(bar)} ms`);
  }
  const refused = Object.values(felt.refused).reduce((sum, count) => sum + count, 0);
  if (refused > 0) broken.push(`${refused} requests of the neighbour were refused`);
  if (felt.undelivered > 0) broken.push(`${felt.undelivered} messages of the neighbour were not delivered`);
  return broken;
}
