import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { checkout } from '../../support/service-process.js';
import type { Fault, Scene } from '../fault.js';
import { endSilence, pick } from '../fault.js';
import type { Rule } from '../instance.js';

const failing = (
  action: 'deadlock' | 'serialization' | 'shutdown',
  point: 'write' | 'commit',
  name: string,
): Fault => ({
  number: 'F8',
  name,
  async inject({ stage, random }) {
    const rule: Rule = { point, action, after: Math.floor(random() * 5), every: 4, times: 10 };
    await Promise.all(stage.instances.map(instance => instance.arm(rule)));
    await delay(1_500);
  },
});

/** A PostgreSQL that dies, hangs, refuses, is full, or is being migrated. */
export const DATABASE_FAULTS: readonly Fault[] = [
  {
    number: 'F2',
    name: 'PostgreSQL is killed and restarts',
    async inject({ stage, random }) {
      stage.database.kill();
      await delay(random() * 1_000);
      await stage.database.restart();
    },
  },
  {
    number: 'F2',
    name: 'one backend of PostgreSQL is killed, which ends all sessions',
    async inject({ stage, random }) {
      const pid = await stage.database.with(async client => {
        const sql = `SELECT pid FROM pg_stat_activity WHERE datname = 'faults' AND pid <> pg_backend_pid()`;
        return pick(random, (await client.query<{ pid: number }>(sql)).rows)?.pid;
      });
      process.kill(pid, 'SIGKILL');
      for (let tries = 0; tries < 100 && !(await stage.database.answers()); tries += 1) await delay(50);
    },
  },
  {
    number: 'F3',
    name: 'PostgreSQL answers slowly',
    async inject({ stage, random }) {
      stage.database.proxy.latency = 40 + random() * 120;
      await delay(1_500);
      stage.database.proxy.latency = 0;
    },
  },
  {
    number: 'F3',
    name: 'PostgreSQL accepts statements and never answers',
    async inject(scene) {
      scene.stage.database.proxy.swallow();
      await delay(1_000 + scene.random() * 2_500);
      await endSilence(scene);
    },
  },
  {
    number: 'F3',
    name: 'PostgreSQL refuses connections and cuts existing ones',
    async inject({ stage, random }) {
      await stage.database.proxy.refuse();
      await delay(500 + random() * 2_000);
    },
  },
  {
    number: 'F3',
    name: 'PostgreSQL has no free connections',
    async inject(scene) {
      const greedy = await takeAllConnections(scene);
      await delay(1_500);
      await Promise.all(greedy.map(client => client.end()));
    },
  },
  {
    number: 'F3',
    name: 'PostgreSQL is read-only',
    async inject({ stage, random }) {
      const { database } = stage;
      const alter = (setting: string) => async (client: Client) => {
        await client.query('SET default_transaction_read_only = off');
        await client.query(`ALTER DATABASE faults ${setting}`);
      };
      await database.with(alter('SET default_transaction_read_only = on'));
      database.proxy.reset();
      await delay(500 + random() * 1_500);
      await database.with(alter('RESET default_transaction_read_only'));
      database.proxy.reset();
    },
  },
  {
    number: 'F3',
    name: 'the disk of PostgreSQL is full',
    needs: ({ database }) => (database.hasDisk ? null : 'only root can give PostgreSQL a small disk'),
    async inject({ stage, random }) {
      stage.database.shrinkDisk(16 * 1024);
      await delay(1_000 + random() * 1_000);
      stage.database.growDisk();
    },
  },
  failing('deadlock', 'write', 'deadlocks'),
  failing('serialization', 'write', 'serialization failures'),
  failing('shutdown', 'write', 'an administrator terminates sessions before a statement'),
  failing('shutdown', 'commit', 'an administrator terminates sessions before their COMMIT'),
  {
    number: 'F8',
    name: 'an administrator repeatedly terminates all sessions',
    async inject({ stage, random }) {
      for (let times = 0; times < 6; times += 1) {
        const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = 'faults' AND pid <> pg_backend_pid()`;
        await stage.database.with(client => client.query(sql));
        await delay(random() * 300);
      }
    },
  },
  {
    number: 'F9',
    name: 'one message in ten is refused among those that share a statement',
    async inject({ stage, random }) {
      // Latency makes sends wait for each other and share a statement.
      stage.database.proxy.latency = 15 + random() * 30;
      await stage.database.with(client =>
        client.query(`
          CREATE FUNCTION refuse_some() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF random() < 0.1 THEN RAISE EXCEPTION 'planned' USING ERRCODE = '40001'; END IF;
            RETURN NEW;
          END $$;
          CREATE TRIGGER refuse_some BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION refuse_some()`),
      );
      await delay(1_500 + random() * 1_000);
      stage.database.proxy.latency = 0;
      await stage.database.with(async client => {
        await client.query('DROP TRIGGER refuse_some ON message');
        await client.query('DROP FUNCTION refuse_some');
      });
    },
  },
  {
    number: 'F13',
    name: 'a migration runs while clients are active',
    async inject({ stage }) {
      await stage.database.with(async client => {
        await client.query('BEGIN');
        // Locks in the service's order; the reverse order would deadlock.
        await client.query('ALTER TABLE conversation ADD COLUMN added_meanwhile text');
        await client.query('ALTER TABLE message ADD COLUMN added_meanwhile text');
        await delay(300);
        await client.query('COMMIT');
        await client.query('CREATE INDEX CONCURRENTLY ix_added_meanwhile ON message (added_meanwhile)');
      });
      const env = { PATH: process.env.PATH ?? '', DATABASE_URL: stage.database.directUrl };
      const migration = spawn(process.execPath, ['dist/bin/migrate.js'], { cwd: checkout, env, stdio: 'ignore' });
      const [code] = (await once(migration, 'exit')) as [number];
      if (code !== 0) throw new Error(`the migration exited with ${code}`);
      await stage.database.with(async client => {
        await client.query('ALTER TABLE conversation DROP COLUMN added_meanwhile');
        await client.query('ALTER TABLE message DROP COLUMN added_meanwhile');
      });
    },
  },
];

/** Takes every connection. Cuts the service's own, which find none when they reconnect. */
async function takeAllConnections({ stage }: Scene): Promise<Client[]> {
  const taken: Client[] = [];
  const cut = setInterval(() => stage.database.proxy.reset(), 20);
  try {
    for (;;) {
      const client = new Client({ connectionString: stage.database.directUrl });
      client.on('error', () => undefined);
      await client.connect();
      taken.push(client);
    }
  } catch {
    return taken;
  } finally {
    clearInterval(cut);
  }
}
