import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { capital } from './copy.js';

const MIGRATIONS = 'src/platform/database/migrations';

/** Writes the migration. Its time is later than that of every other one, because migrations run in order of time. */
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
  return [`${MIGRATIONS}/${time}-${plural}.ts`, text];
}

/** Writes the tests of the rules that every copied module follows. Its author adds the specific ones. */
export function spec({ plural, Singular, table, words, wordsPlural }) {
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

describe('${capital(wordsPlural)}', () => {
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
    const created = await desk.owner.api.post<${Singular}Record>(PATH, { ...FIRST, ...body });
    expect(created.status).toBe(201);
    return created.data;
  };

  it('An agent changes ${wordsPlural}, and other agents receive an event for each change.', async () => {
    const inbox = await world.agentSocket(desk.owner);
    const created = await make();
    expect(created).toMatchObject({ ...FIRST, tags: [], created_by: desk.owner.memberId });
    expect((await inbox.next('${table}.created')).data).toEqual(created);

    const changed = await desk.owner.api.patch<${Singular}Record>(\`\${PATH}/\${created.id}\`, { title: 'Changed' });
    expect(changed.data).toEqual({ ...created, title: 'Changed', updated_at: changed.data.updated_at });
    expect((await inbox.next('${table}.updated')).data).toEqual(changed.data);

    const deleted = await desk.owner.api.delete(\`\${PATH}/\${created.id}\`);
    expect([deleted.status, deleted.data]).toEqual([200, { id: created.id, deleted: true }]);
    expect((await inbox.next('${table}.deleted')).data.id).toBe(created.id);
    expect((await desk.owner.api.get(\`\${PATH}/\${created.id}\`)).status).toBe(404);
    await inbox.close();
  });

  it('Of concurrent requests for ${wordsPlural} with one short code, one succeeds and the others get 409.', async () => {
    const racing = await race(8, index =>
      desk.owner.api.post(PATH, { ...FIRST, short_code: index % 2 === 0 ? 'same' : 'SAME' }),
    );
    expect(countsOf(racing.map(({ status }) => status))).toEqual({ 201: 1, 409: 7 });
    const refused = racing.find(({ status }) => status === 409);
    expect(refused?.error.code).toBe('${table}_short_code_taken');
    expect((await (await world.desk()).owner.api.post(PATH, { ...FIRST, short_code: 'same' })).status).toBe(201);
  });

  it('The list of ${wordsPlural} is paged by short code, and a query puts prefix matches first.', async () => {
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

  it('The ${words} endpoint reports all invalid fields at once (400).', async () => {
    const answer = await desk.owner.api.post(PATH, { short_code: 'no good', tags: 'x' });
    expect([answer.status, answer.error.code]).toEqual([400, 'validation_failed']);
    const fields = answer.error.details?.map(({ field }) => field).sort();
    expect(fields).toEqual(['content', 'short_code', 'tags', 'title']);
  });

  it('An agent cannot read, change or delete ${wordsPlural} of another workspace (404).', async () => {
    const created = await make();
    const stranger = (await world.desk()).owner.api;
    expect((await stranger.get<Listing>(PATH)).data.items).toEqual([]);
    for (const answer of [
      await stranger.get(\`\${PATH}/\${created.id}\`),
      await stranger.patch(\`\${PATH}/\${created.id}\`, { title: 'Mine' }),
      await stranger.delete(\`\${PATH}/\${created.id}\`),
    ]) {
      expect([answer.status, answer.error.code]).toEqual([404, 'not_found']);
    }
    expect((await desk.owner.api.get(\`\${PATH}/\${created.id}\`)).data).toEqual(created);
  });

  it('API keys can access ${wordsPlural} only within their scopes (403), and visitors cannot at all (401).', async () => {
    const created = await make();
    const reader = await world.apiKey(desk, { scopes: ['${plural}:read'] });
    expect((await reader.get(\`\${PATH}/\${created.id}\`)).status).toBe(200);
    expect((await reader.delete(\`\${PATH}/\${created.id}\`)).status).toBe(403);
    const visitor = await world.visitor(desk);
    expect((await visitor.api.get(PATH)).status).toBe(401);
    expect((await world.anyone.get(PATH)).status).toBe(401);
  });
});
`;
  return [path, text];
}
