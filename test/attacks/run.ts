import { parseArgs } from 'node:util';
import { ensureBuilt } from '../support/service-process.js';
import { Arena } from './arena.js';
import { SHUTDOWNS } from './list/shutdown.js';
import { STALLS } from './list/stalls.js';
import { THEFTS } from './list/thefts.js';

const { values } = parseArgs({
  options: {
    /** Part of the name of the attacks to run; all if empty. */
    attack: { type: 'string', default: '' },
    /** `on`, `off`, or `both` one after the other. */
    redis: { type: 'string', default: 'both' },
  },
});
const attacks = [...THEFTS, ...STALLS, ...SHUTDOWNS].filter(({ name }) => name.includes(values.attack));
if (attacks.length === 0 || !['on', 'off', 'both'].includes(values.redis)) {
  console.error('usage: npm run test:attacks -- [--attack "part of its name"] [--redis on|off|both]');
  process.exit(2);
}
ensureBuilt();
let passed = 0;
let failed = 0;
for (const withRedis of values.redis === 'both' ? [false, true] : [values.redis === 'on']) {
  const arena = await Arena.open(withRedis);
  try {
    for (const { name, needs, run } of attacks) {
      const lacking = needs?.(arena);
      if (lacking) {
        console.log(`skipped: ${name}: ${lacking}`);
        continue;
      }
      await arena.start();
      const { figures, broken } = await run(arena).catch((error: Error) => ({ figures: {}, broken: [error.message] }));
      if (broken.length === 0) passed += 1;
      else failed += 1;
      console.log(`${broken.length === 0 ? 'passed' : 'FAILED'}  ${name} (${arena.name})`);
      for (const [figure, value] of Object.entries(figures)) console.log(`        ${figure}: ${value}`);
      for (const line of broken) console.log(`      ! ${line}`);
    }
  } finally {
    await arena.close();
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
