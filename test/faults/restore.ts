import { rmSync } from 'node:fs';
import { eventually } from '../support/eventually.js';
import { beginConversation, ResumingListener, openDesk, sendUntilAccepted } from '../support/outside.js';
import { Stage } from './stage.js';

/**
 * Plays a restore on a dedicated stage, because it removes acknowledged messages. Clients on both instances must get
 * sync.required and then every event. A cursor of lost events must be refused even once the log has grown past it. A
 * cursor from before the snapshot must resume everything missed, if the log is still the same.
 * @param how `running`: the service runs during the restore; `stopped`: it starts afterwards
 * @param waitMs maximum wait for an event; a lost one never arrives
 * @param mutant deliberate defect of the service
 * @returns descriptions of what was wrong
 */
export async function playRestore(
  how: 'running' | 'stopped',
  bus: boolean,
  random: () => number,
  waitMs: number,
  mutant?: string,
): Promise<string[]> {
  const stage = await Stage.open('restored', { bus });
  const listeners: ResumingListener[] = [];
  const wrong: string[] = [];
  try {
    const [here, there] = stage.instances;
    if (!here || !there) throw new Error('two instances are required');
    const desk = await openDesk(here.url);
    const conversation = await beginConversation(here.url, desk);
    let sent = 0;
    const sendMany = async (count: number) => {
      const contents = Array.from({ length: count }, () => `message ${(sent += 1)}`);
      for (const content of contents)
        await sendUntilAccepted(
          () => here.url,
          conversation,
          content,
          () => undefined,
        );
      return contents;
    };
    const listen = async (after?: string) => {
      const query = after === undefined ? '' : `&after=${after}`;
      const address = (url: string) => `${url.replace('http', 'ws')}/ws/agent?token=${desk.token}${query}`;
      const opened = await Promise.all([here, there].map(({ url }) => ResumingListener.open(address(url))));
      listeners.push(...opened);
      return opened;
    };
    const expectAll = async (
      which: readonly ResumingListener[],
      description: string,
      has: (listener: ResumingListener) => boolean,
    ) => {
      const all = () => which.every(has) || undefined;
      await eventually(all, waitMs).catch(() => {
        const states = which.filter(listener => !has(listener)).map(listener => listener.describeState());
        wrong.push(`after a restore (${how}) not every client received ${description}: ${states.join(' ')}`);
      });
    };

    const before = await listen();
    const kept = await sendMany(1 + Math.floor(random() * 5));
    await expectAll(before, 'messages from before the snapshot', hasAll(kept));
    const keptCursor = cursorOf(before[0]);
    const folder = await stage.database.snapshot();
    await stage.mend();
    const lost = await sendMany(5 + Math.floor(random() * 20));
    await expectAll(before, 'messages from after the snapshot', hasAll(lost));
    const lostCursor = cursorOf(before[1]);
    if (mutant !== undefined) for (const instance of stage.instances) await instance.mutate(mutant, true);
    if (how === 'stopped') {
      for (const listener of before) listener.close();
      await Promise.all(stage.instances.map(instance => instance.kill()));
    }
    await stage.database.restoreSnapshot(folder);
    rmSync(folder, { recursive: true, force: true });
    await stage.mend();
    if (how === 'running') await expectAll(before, 'sync.required', hasType('sync.required'));
    const later = await sendMany(lost.length + Math.floor(random() * 20));
    if (how === 'running') await expectAll(before, 'messages from after the restore', hasAll(later));
    await expectAll(await listen(lostCursor), 'sync.required for a cursor of lost events', hasType('sync.required'));
    const back = await listen(keptCursor);
    await expectAll(back, 'a response to a cursor from before the snapshot', isAnswered);
    const resumed = back.filter(hasType('resumed'));
    await expectAll(resumed, 'everything missed since a cursor from before the snapshot', hasAll(later));
    if (how === 'stopped' && resumed.length < back.length) wrong.push('a cursor from before the snapshot was refused');
    return wrong;
  } finally {
    for (const listener of listeners) listener.close();
    await stage.close();
  }
}

const hasAll = (contents: readonly string[]) => (listener: ResumingListener) =>
  contents.every(content => listener.messages().includes(content));

const hasType = (type: string) => (listener: ResumingListener) => listener.frames.some(frame => frame.type === type);

const isAnswered = (listener: ResumingListener) => hasType('resumed')(listener) || hasType('sync.required')(listener);

function cursorOf(listener: ResumingListener | undefined): string {
  return String(listener?.frames.findLast(({ cursor }) => cursor)?.cursor);
}
