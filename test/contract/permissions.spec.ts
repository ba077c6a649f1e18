import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallerName } from '../support/permission-matrix.js';
import { CALLERS, declaredRows, GOLDEN, permissionMatrix, recipesFor, written } from '../support/permission-matrix.js';
import { LOCAL_WEBHOOKS } from '../support/webhook-receiver.js';
import { routesOf } from '../support/routes.js';
import { World } from '../support/world.js';

let world: World;
let table: Map<string, string[]>;
beforeAll(async () => {
  world = await World.start({ SMTP_URL: 'smtp://127.0.0.1:9', ...LOCAL_WEBHOOKS });
  const routes = routesOf(world.app.app);
  open = new Set(routes.filter(({ access }) => access?.public === true).map(({ name }) => name));
  table = await permissionMatrix(world);
}, 600_000);
afterAll(() => world.stop());

/** @returns the outcome of every route for one caller */
function column(caller: CallerName): [route: string, cell: string][] {
  return [...table].map(([name, cells]) => [name, cells[CALLERS.indexOf(caller)] ?? '']);
}

let open: Set<string>;
const isPublic = (name: string): boolean => open.has(name);
const showsRow = ([, cell]: [string, string]): boolean => cell.endsWith('+');

describe('The permission table', () => {
  it('The responses of every route to every caller match the declared permission table', () => {
    if (process.env.GOLDEN === 'write') writeFileSync(GOLDEN, written(table));
    expect([...table]).toEqual(declaredRows());
  });

  it('The permission table has exactly the existing routes', () => {
    const names = routesOf(world.app.app).map(({ name }) => name);
    expect(Object.keys(recipesFor(world.app.app)).sort()).toEqual(names.sort());
  });

  it('A request without a credential is refused (401) on every route that is not public', () => {
    expect(column('none').filter(([name, cell]) => !cell.startsWith('401') && !isPublic(name))).toEqual([]);
  });

  it('Visitors may call only /v1/widget and their socket, and other callers neither (401)', () => {
    const strayed = column('visitor').filter(
      ([name, cell]) =>
        !name.includes('/widget/') && !name.includes('/ws/visitor') && !isPublic(name) && !cell.startsWith('401'),
    );
    expect(strayed).toEqual([]);
    for (const caller of CALLERS.filter(name => name !== 'visitor' && name !== 'stranger')) {
      const entered = column(caller).filter(
        ([name, cell]) =>
          (name.includes('/widget/') || name.includes('/ws/visitor')) && !isPublic(name) && !cell.startsWith('401'),
      );
      expect([caller, entered]).toEqual([caller, []]);
    }
  });

  it.each<CallerName>(['stranger', 'zero scope', 'elsewhere', 'foreign', 'foreign key'])(
    'No route shows a row of the channel to the caller “%s”',
    caller => {
      expect(column(caller).filter(row => showsRow(row) && !isPublic(row[0]))).toEqual([]);
    },
  );

  it('A session whose scope is not `all` may do no more than an agent, whatever its role', () => {
    const agent = new Map(column('agent'));
    for (const caller of ['zero scope', 'elsewhere'] as const) {
      const beyond = column(caller).filter(
        ([name, cell]) => /^2/.test(cell) && !/^2/.test(agent.get(name) ?? '') && !isPublic(name),
      );
      expect([caller, beyond]).toEqual([caller, []]);
    }
  });
});
