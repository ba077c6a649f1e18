import { Client } from 'pg';

/** Runs `work` with a connection and closes it. */
export async function withClient(url, work) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
