import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const MIGRATIONS = 'src/platform/database/migrations';

/** Later than every other, whatever the clock says: they run in the order of their times. */
export function migration(root, { plural, Plural, table, wordsPlural }) {
  const times = readdirSync(join(root, MIGRATIONS)).map(file => Number(/^\d{13}/.exec(file)?.[0] ?? 0));
  const time = Math.max(Date.now(), ...times.map(last => last + 1_000));
  const className = `${Plural}${time}`;
  const text = `import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table of ${wordsPlural}. */
export class ${className} implements MigrationInterface {
  name = '${className}';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(\`CREATE TABLE ${table} (
        workspace_id uuid NOT NULL,
        id uuid NOT NULL,
        short_code text NOT NULL,
        title text NOT NULL,
        content text NOT NULL,
        tags text array NOT NULL DEFAULT '{}',
        created_by uuid,
        created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT uq_${table}_short_code UNIQUE (workspace_id, short_code),
        CONSTRAINT pk_${table} PRIMARY KEY (workspace_id, id),
        CONSTRAINT fk_${table}_created_by FOREIGN KEY (workspace_id, created_by) REFERENCES member (workspace_id, id),
        CONSTRAINT fk_${table}_workspace FOREIGN KEY (workspace_id) REFERENCES workspace (id) ON DELETE CASCADE
      )\`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE ${table}');
  }
}
`;
  return { path: `${MIGRATIONS}/${time}-${plural}.ts`, text, className };
}

/** The policies that every such noun keeps; what is special to this one is for its author to add. */
export function spec({ plural, Singular, table, wordsPlural }) {
  const path = `test/api/${plural}.spec.ts`;
  const text = `import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ${Singular}Record } from '../../src/modules/${plural}/index.js';
import { countsOf, race } from '../support/race.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

interface Listing {
  items: ${Singular}Record[];
  next_cursor: string | null;
}

const PATH = '/v1/${plural}';
const FIRST = { short_code: 'first', title: 'First', content: 'The first of its kind.' };

describe('${wordsPlural}', () => {
  let world: World;
  let desk: Desk;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    desk = await world.desk();
  });

  const make = async (body: object = {}): Promise<${Singular}Record> => {
    const made = await desk.owner.api.post<${Singular}Record>(PATH, { ...FIRST, ...body });
    expect(made.status).toBe(201);
    return made.data;
  };

  it('are made, changed and deleted, and agents hear of each', async () => {
    const inbox = await world.agentSocket(desk.owner);
    const made = await make();
    expect(made).toMatchObject({ ...FIRST, tags: [], created_by: desk.owner.memberId });
    expect((await inbox.next('${table}.created')).data).toEqual(made);

    const changed = await desk.owner.api.patch<${Singular}Record>(\`\${PATH}/\${made.id}\`, { title: 'Changed' });
    expect(changed.data).toEqual({ ...made, title: 'Changed', updated_at: changed.data.updated_at });
    expect((await inbox.next('${table}.updated')).data).toEqual(changed.data);

    const deleted = await desk.owner.api.delete(\`\${PATH}/\${made.id}\`);
    expect([deleted.status, deleted.data]).toEqual([200, { id: made.id, deleted: true }]);
    expect((await inbox.next('${table}.deleted')).data.id).toBe(made.id);
    expect((await desk.owner.api.get(\`\${PATH}/\${made.id}\`)).status).toBe(404);
    await inbox.close();
  });

  it('have a short code that is theirs alone in the workspace, in whatever case, and under a race', async () => {
    const racing = await race(8, index =>
      desk.owner.api.post(PATH, { ...FIRST, short_code: index % 2 === 0 ? 'wanted' : 'WANTED' }),
    );
    expect(countsOf(racing.map(({ status }) => status))).toEqual({ 201: 1, 409: 7 });
    const refused = racing.find(({ status }) => status === 409);
    expect(refused?.error.code).toBe('${table}_short_code_taken');
    expect((await (await world.desk()).owner.api.post(PATH, { ...FIRST, short_code: 'wanted' })).status).toBe(201);
  });

  it('are listed by short code, page by page; with a query, those first whose short code begins with it', async () => {
    for (const short_code of ['cherry', 'apple', 'banana']) await make({ short_code });
    const first = (await desk.owner.api.get<Listing>(\`\${PATH}?limit=2\`)).data;
    const rest = (await desk.owner.api.get<Listing>(\`\${PATH}?limit=2&cursor=\${first.next_cursor}\`)).data;
    const codes = [...first.items, ...rest.items].map(({ short_code }) => short_code);
    expect(codes).toEqual(['apple', 'banana', 'cherry']);
    expect(rest.next_cursor).toBeNull();
    await make({ short_code: 'an-apple' });
    const found = (await desk.owner.api.get<Listing>(\`\${PATH}?query=appl\`)).data;
    expect(found.items.map(({ short_code }) => short_code)).toEqual(['apple', 'an-apple']);
  });

  it('are checked: all faulty fields at once', async () => {
    const answer = await desk.owner.api.post(PATH, { short_code: 'no good', tags: 'x' });
    expect([answer.status, answer.error.code]).toEqual([400, 'validation_failed']);
    const fields = answer.error.details?.map(({ field }) => field).sort();
    expect(fields).toEqual(['content', 'short_code', 'tags', 'title']);
  });

  it('of another workspace are not there', async () => {
    const made = await make();
    const stranger = (await world.desk()).owner.api;
    expect((await stranger.get<Listing>(PATH)).data.items).toEqual([]);
    for (const answer of [
      await stranger.get(\`\${PATH}/\${made.id}\`),
      await stranger.patch(\`\${PATH}/\${made.id}\`, { title: 'Mine' }),
      await stranger.delete(\`\${PATH}/\${made.id}\`),
    ]) {
      expect([answer.status, answer.error.code]).toEqual([404, 'not_found']);
    }
    expect((await desk.owner.api.get(\`\${PATH}/\${made.id}\`)).data).toEqual(made);
  });

  it('are for agents, and for keys as far as their scopes go, never for visitors', async () => {
    const made = await make();
    const reader = await world.apiKey(desk, { scopes: ['${plural}:read'] });
    expect((await reader.get(\`\${PATH}/\${made.id}\`)).status).toBe(200);
    expect((await reader.delete(\`\${PATH}/\${made.id}\`)).status).toBe(403);
    const visitor = await world.visitor(desk);
    expect((await visitor.api.get(PATH)).status).toBe(401);
    expect((await world.anyone.get(PATH)).status).toBe(401);
  });
});
`;
  return [path, text];
}
