import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withClient } from './database.js';
import { root } from './processes.js';

/**
 * Starts the PostgreSQL of all opponents: the service's embedded one with default settings, including fsync, and enough
 * connections for all pools.
 * @returns `{pid, url, logFile, database, analyze, stop}`. `database(name)` returns its URL, and whether it was just
 * made. `analyze` runs ANALYZE on all changed tables, as PostgreSQL does within a minute; until then it may choose
 * the wrong index for new data. Log lines contain the database after the time.
 */
export async function startPostgres(folder) {
  const module = resolve(root, 'dist/platform/database/embedded/embedded-postgres.js');
  if (!existsSync(module)) throw new Error('there is no build: run npm run build');
  const { startEmbeddedPostgres } = await import(module);
  const settings = { max_connections: '200', log_line_prefix: '%m %d [%p] ' };
  const options = { dataDir: folder, database: 'bench', log: () => undefined, settings };
  const { url, pid, stop } = await startEmbeddedPostgres(options);
  const cut = () => process.kill(pid, 'SIGQUIT');
  process.once('exit', cut);
  const urlOf = name => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  return {
    pid,
    url,
    logFile: join(folder, 'postgres.log'),
    async database(name) {
      return withClient(url, async client => {
        const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
        if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
        return { url: urlOf(name), made: rowCount === 0 };
      });
    },
    async analyze() {
      const all = 'SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate';
      const { rows } = await withClient(url, client => client.query(all));
      for (const { datname } of rows) await withClient(urlOf(datname), analyzeChanged);
    },
    async stop() {
      process.off('exit', cut);
      await stop();
    },
  };
}

async function analyzeChanged(client) {
  const { rows } = await client.query(
    `SELECT relname FROM pg_stat_user_tables
     WHERE n_mod_since_analyze > n_live_tup / 10 OR last_analyze IS NULL AND last_autoanalyze IS NULL`,
  );
  for (const { relname } of rows) await client.query(`ANALYZE ${client.escapeIdentifier(relname)}`);
}
