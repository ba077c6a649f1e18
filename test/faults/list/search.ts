import { eventually } from '../../support/eventually.js';
import { ALL_PATIENCE_MS } from '../client.js';
import type { Scene } from '../fault.js';
import { pick } from '../fault.js';

const WAIT_MS = 15_000;

/** Unsends a message that the search index already has. */
export async function unsendIndexed({ stage, crowd, random }: Scene): Promise<void> {
  const { url } = pick(random, stage.instances);
  const { owner, visitors } = pick(random, crowd.desks);
  const send = async () => {
    const path = `/v1/conversations/${pick(random, visitors).conversationId}/messages`;
    const request = { method: 'POST', path, token: owner.token, body: { content: 'words that are unsent' } };
    const { status, body } = await crowd.http.send(url, request, ALL_PATIENCE_MS);
    return status === 201 ? { path, id: body.data.id as string } : undefined;
  };
  const { path, id } = await eventually(send, WAIT_MS);
  await stage.database.with(client =>
    eventually(async () => {
      const { rowCount } = await client.query('SELECT 1 FROM search_document WHERE id = $1', [id]);
      return rowCount ? true : undefined;
    }, WAIT_MS),
  );
  await crowd.http.send(url, { method: 'DELETE', path: `${path}/${id}`, token: owner.token }, ALL_PATIENCE_MS);
}
