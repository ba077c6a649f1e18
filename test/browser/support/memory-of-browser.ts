import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { AgentInbox } from './agent-inbox.js';
import { PATIENCE_MS } from './company.js';

/** Everything that the browser has stored for the page's origin. */
function stored({ page }: AgentInbox): Promise<string> {
  return page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const stored: unknown[] = [];
    for (const { name } of databases) {
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(name!);
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error!);
      });
      for (const store of database.objectStoreNames) {
        const request = database.transaction(store).objectStore(store).getAll();
        stored.push(
          await new Promise(resolve => {
            request.onsuccess = () => resolve(request.result);
          }),
        );
      }
      database.close();
    }
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, stored]);
  });
}

/** Waits until the browser has stored a text. */
export async function keeps(inbox: AgentInbox, text: string): Promise<void> {
  await eventually(async () => (await stored(inbox)).includes(text) || undefined, PATIENCE_MS);
}

/** Waits until neither the page nor the browser's storage contains the texts. */
export async function forgets(inbox: AgentInbox, ...texts: string[]): Promise<void> {
  const left = async () => {
    const all = (await stored(inbox)) + (await inbox.page.content());
    return texts.filter(text => all.includes(text));
  };
  await eventually(async () => (await left()).length === 0 || undefined, PATIENCE_MS).catch(() => undefined);
  expect(await left()).toEqual([]);
}
