import { register } from 'node:module';

/**
 * `node test/support/mutant-tables.js '[{"file", "from", "to", "rows"}, …]'` applies each mutation (or none) to the
 * source and prints the resulting rows of the permission table, one line of JSON per mutation.
 */
const mutations = JSON.parse(process.argv[2]);
register('./typescript.js', import.meta.url, { data: mutations });
for (const [mutant, { rows }] of mutations.entries()) {
  const outcome = await table(mutant, new RegExp(rows)).catch(error => ({ error: error.stack }));
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}

async function table(mutant, rows) {
  const { World } = await import(`./world.ts?mutant=${mutant}`);
  const { permissionMatrix } = await import(`./permission-matrix.ts?mutant=${mutant}`);
  const world = await World.start();
  try {
    return { table: [...(await permissionMatrix(world, rows))] };
  } finally {
    await world.stop();
  }
}
