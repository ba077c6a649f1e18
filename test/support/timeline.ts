import type { Caller } from './http.js';
import type { Json } from './json.js';

/** Metadata of the timeline entries that the caller sees. @param path of the conversation */
export async function readTimeline(caller: Caller, path: string): Promise<Json[]> {
  const { items } = (await caller.get(`${path}/messages`)).data as { items: Json[] };
  return items.filter(({ content_type }) => content_type === 'event').map(({ metadata }) => metadata as Json);
}
