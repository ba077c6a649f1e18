import { Client } from 'pg';

/**
 * Asks the server for anything at all, over a connection of its own: a pool that is busy is not a database that hangs,
 * and one that refuses has answered.
 * @returns false when it has said nothing within `ms`
 */
export async function answersWithin(url: string, ms: number): Promise<boolean> {
  const client = new Client({ connectionString: url, query_timeout: ms });
  client.on('error', () => undefined);
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<false>(resolve => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const answer = client
    .connect()
    .then(() => client.query('SELECT 1'))
    .then(
      () => true,
      () => true,
    );
  const answered = await Promise.race([answer, silence]);
  clearTimeout(timer);
  client.connection.stream.destroy();
  return answered;
}
