import { register } from 'node:module';

/**
 * `node test/support/mutant-tables.js '[{"file", "from", "to", "rows"}, …]'`: for each line of the source that is changed,
 * or none, the rows of the permission table that the service has then; one line of JSON each.
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
