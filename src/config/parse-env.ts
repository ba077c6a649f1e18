import { VARIABLES } from './env.js';
import type { Variable } from './variables.js';

type Values = {
  [Name in keyof typeof VARIABLES]: (typeof VARIABLES)[Name] extends Variable<infer T> ? T : never;
};
export type Env = Values & { given: ReadonlySet<keyof typeof VARIABLES> };

/** All faults of the environment, one per line of the message. The process exits with 78 (EX_CONFIG). */
export class ConfigInvalid extends Error {
  constructor(readonly faults: string[]) {
    super(`The configuration is not valid:\n${faults.map(fault => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * Parses every variable; unset and empty ones use their fallback.
 * @param demands checks rules across variables; each fault must begin with the name of its variable
 * @throws ConfigInvalid
 */
export function parseEnv(source: Record<string, string | undefined>, demands: (env: Env) => string[]): Env {
  const faults: string[] = [];
  const given = new Set<keyof typeof VARIABLES>();
  const entries = Object.entries(VARIABLES).map(([name, { parse, fallback }]) => {
    const raw = source[name]?.trim();
    if (raw) given.add(name as keyof typeof VARIABLES);
    const chosen = raw || fallback || '';
    if (chosen === '' && name !== 'RATE_LIMITS') return [name, ''] as const;
    const parsed = parse(chosen);
    if ('fault' in parsed) {
      faults.push(`${name} ${parsed.fault}`);
      given.delete(name as keyof typeof VARIABLES);
    }
    return [name, 'value' in parsed ? parsed.value : ''] as const;
  });
  const env = { ...(Object.fromEntries(entries) as Values), given };
  const malformed = new Set(faults.map(nameOf));
  faults.push(...demands(env).filter(fault => !malformed.has(nameOf(fault))));
  if (faults.length > 0) throw new ConfigInvalid(faults);
  return env;
}

function nameOf(fault: string): string | undefined {
  return fault.split(' ', 1)[0];
}
