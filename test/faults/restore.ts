import { rmSync } from 'node:fs';
import { eventually } from '../support/eventually.js';
import { beginTalk, Listener, openDesk, sendSurely } from '../support/outside.js';
import { Stage } from './stage.js';

/** Far longer than a look at the log takes; what was swallowed does not come at all. */
const HEARD_MS = 30_000;

/**
 * A restore on a stage of its own, for it takes back what was acknowledged: beside it the crowd goes on. People who
 * listen on both instances must be told, and then hear everything; cursors of what is lost must be refused, also when
 * the log has grown past them, and a cursor of before the snapshot must bring all that it has missed, where it is of
 * the same log still.
 * @param how whether the service runs while PostgreSQL is put back, or starts afterwards
 * @param mutant the way in which the service is wrong on purpose
 * @returns what was wrong
 */
export async function playRestore(
  how: 'running' | 'stopped',
  bus: boolean,
  random: () => number,
  mutant?: string,
): Promise<string[]> {
  const stage = await Stage.open('restored', { bus });
  const listeners: Listener[] = [];
  const wrong: string[] = [];
  try {
    const [here, there] = stage.instances;
    if (!here || !there) throw new Error('two instances are wanted');
    const desk = await openDesk(here.url);
    const talk = await beginTalk(here.url, desk);
    let said = 0;
    const say = async (count: number) => {
      const contents = Array.from({ length: count }, () => `message ${(said += 1)}`);
      for (const content of contents)
        await sendSurely(
          () => here.url,
          talk,
          content,
          () => undefined,
        );
      return contents;
    };
    const listen = async (after?: string) => {
      const query = after === undefined ? '' : `&after=${after}`;
      const address = (url: string) => `${url.replace('http', 'ws')}/ws/agent?token=${desk.token}${query}`;
      const opened = await Promise.all([here, there].map(({ url }) => Listener.open(address(url))));
      listeners.push(...opened);
      return opened;
    };
    const hear = async (who: readonly Listener[], what: string, has: (listener: Listener) => boolean) => {
      const all = () => who.every(has) || undefined;
      await eventually(all, HEARD_MS).catch(() => {
        const stories = who.filter(listener => !has(listener)).map(listener => listener.story());
        wrong.push(`after a restore (${how}) not everybody heard ${what}: ${stories.join(' ')}`);
      });
    };

    const before = await listen();
    const kept = await say(1 + Math.floor(random() * 5));
    await hear(before, 'what was said before the snapshot', hasAll(kept));
    const keptCursor = cursorOf(before[0]);
    const folder = await stage.database.snapshot();
    await stage.mend();
    const lost = await say(5 + Math.floor(random() * 20));
    await hear(before, 'what was said after the snapshot', hasAll(lost));
    const lostCursor = cursorOf(before[1]);
    if (mutant !== undefined) for (const instance of stage.instances) await instance.mutate(mutant, true);
    if (how === 'stopped') {
      for (const listener of before) listener.close();
      await Promise.all(stage.instances.map(instance => instance.kill()));
    }
    await stage.database.putBack(folder);
    rmSync(folder, { recursive: true, force: true });
    await stage.mend();
    if (how === 'running') await hear(before, 'sync.required', hasType('sync.required'));
    const later = await say(lost.length + Math.floor(random() * 20));
    if (how === 'running') await hear(before, 'what was said after the restore', hasAll(later));
    await hear(await listen(lostCursor), 'sync.required, with a cursor of what is lost', hasType('sync.required'));
    const back = await listen(keptCursor);
    await hear(back, 'an answer to a cursor of before the snapshot', isAnswered);
    const resumed = back.filter(hasType('resumed'));
    await hear(resumed, 'all that a cursor of before the snapshot had missed', hasAll(later));
    if (how === 'stopped' && resumed.length < back.length) wrong.push('a cursor of before the snapshot was refused');
    return wrong;
  } finally {
    for (const listener of listeners) listener.close();
    await stage.close();
  }
}

const hasAll = (contents: readonly string[]) => (listener: Listener) =>
  contents.every(content => listener.messages().includes(content));

const hasType = (type: string) => (listener: Listener) => listener.frames.some(frame => frame.type === type);

const isAnswered = (listener: Listener) => hasType('resumed')(listener) || hasType('sync.required')(listener);

function cursorOf(listener: Listener | undefined): string {
  return String(listener?.frames.findLast(({ cursor }) => cursor)?.cursor);
}
