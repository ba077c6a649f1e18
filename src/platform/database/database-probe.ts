import { Client } from 'pg';

/**
 * Checks that the server responds, over a separate connection, because a busy pool does not mean a hanging database. An
 * error from the server counts as a response.
 * @returns false when there is no response within `ms`
 */
export async function answersWithin(url: string, ms: number): Promise<boolean> {
  const client = new Client({ connectionString: url, query_timeout: ms });
  client.on('error', () => undefined);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>(resolve => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const answer = client
    .connect()
    .then(() => client.query('SELECT 1'))
    .then(
      () => true,
      () => true,
    );
  const answered = await Promise.race([answer, timeout]);
  clearTimeout(timer);
  client.connection.stream.destroy();
  return answered;
}
