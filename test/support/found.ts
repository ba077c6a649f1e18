import { SearchPostponedWorker } from '../../src/modules/search/search-postponed.worker.js';
import { SearchConsumer } from '../../src/modules/search/search.consumer.js';
import { consumed } from './consumed.js';
import { eventually } from './eventually.js';
import type { Caller } from './http.js';
import type { Json } from './json.js';
import type { World } from './world.js';

/** Waits until the index has every change of before, except for postponed ones. */
export const indexedAtOnce = (world: World) => consumed(world, SearchConsumer);

/** Waits until the index has every change of before. */
export async function indexed(world: World): Promise<void> {
  await indexedAtOnce(world);
  await eventually(async () => {
    const rows = await world.app.database.query('SELECT FROM search_postponed LIMIT 1');
    if (rows.length > 0) world.app.app.get(SearchPostponedWorker).wake();
    return rows.length === 0 || undefined;
  }, 20_000);
}

/** Waits until every erasure is complete. */
export const erased = ({ app: { database } }: World) =>
  eventually(async () => (await database.query('SELECT FROM erasure')).length === 0 || undefined, 20_000);

/** Searches, and reads all pages. @param parameters as in the URL */
export async function search(caller: Caller, query: string, parameters: Record<string, string> = {}): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const values = new URLSearchParams({ query, ...parameters, ...(cursor ? { cursor } : {}) });
    const answer = await caller.get(`/v1/search?${values.toString()}`);
    if (answer.status !== 200) throw new Error(`the search failed: ${JSON.stringify(answer.body)}`);
    items.push(...(answer.data.items as Json[]));
    cursor = answer.data.next_cursor as string | null;
  }
  return items;
}

/** The thing of a hit as one text: the content of a message, the subject or number of a conversation, a contact's name. */
export function titleOf({ type, message, conversation, contact }: Json): string {
  if (type === 'message') return message.content as string;
  return type === 'contact' ? (contact.name as string) : String(conversation.subject ?? conversation.number);
}

/** The parts of a hit that are highlighted. */
export function highlightsOf(item: Json): string[] {
  const shown: Json = { ...item.message, ...item.contact, ...(item.type === 'conversation' ? item.conversation : {}) };
  return Object.entries(item.highlights as Record<string, [number, number][]>).flatMap(([field, ranges]) => {
    const [name = '', key] = [field.split('.', 1)[0], field.split('.').slice(1).join('.')];
    const text = String(key ? shown[name][key] : shown[name]);
    return ranges.map(([start, end]) => text.slice(start, end));
  });
}
