import { effect } from '@preact/signals';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ConversationView } from '@support-chat/sdk';
import type { ConversationList } from '../../clients/dashboard/src/store/conversation-list.js';
import type { EventFrame } from '../../clients/dashboard/src/store/frame-log.js';
import { StoreScene } from './store-scene.js';

const ROWS = 10_000;
const EVENTS = 1_000;
const ON_SCREEN = 30;

/** Runs of the effects of a list and of the rows that a window shows. */
class Paints {
  listRuns = -1;
  rowRuns = -ON_SCREEN;

  constructor(scene: StoreScene, list: ConversationList) {
    const ids = list.ids.peek().slice(0, ON_SCREEN);
    effect(() => {
      this.listRuns += Number(list.ids.value.length > 0);
    });
    for (const id of ids) {
      effect(() => {
        this.rowRuns += Number(scene.store.conversation(id).value !== undefined);
      });
    }
  }
}

describe('The cost of frames with 10,000 conversations in a list', () => {
  let scene: StoreScene;
  let list: ConversationList;
  let ids: string[];

  beforeAll(() => {
    scene = new StoreScene();
    ids = Array.from({ length: ROWS }, (_, index) => scene.start(`Visitor ${index}`));
    const items = ids.map(id => scene.service.get(id)!);
    scene.skip();
    list = scene.store.list({});
    scene.store.applyList(list, { items, next_cursor: null }, { cursor: undefined, mark: scene.store.mark() });
  });

  const write = (count: number, indexOf: (event: number) => number): EventFrame[] => {
    for (let event = 0; event < count; event += 1)
      scene.service.contactWrites(ids[indexOf(event)]!, `message ${event}`);
    return scene.frames();
  };

  it('A thousand frames that arrive at once are one change of the list, and one of each conversation on the screen.', () => {
    const paints = new Paints(scene, list);
    const shown = new Set(list.ids.peek().slice(0, ON_SCREEN));
    const frames = write(EVENTS, event => (event * 7) % ROWS);
    const changed = new Set(frames.map(frame => frame.conversation_id!));
    scene.store.apply(...frames);
    expect(changed.size).toBe(EVENTS);
    expect(paints.listRuns).toBe(1);
    expect(paints.rowRuns).toBe([...shown].filter(id => changed.has(id)).length);
    expect(new Set(list.ids.peek().slice(0, EVENTS))).toEqual(changed);
  });

  it('Many frames of one conversation are one change of its row.', () => {
    const paints = new Paints(scene, list);
    const newest = ids.indexOf(list.ids.peek()[0]!);
    scene.store.apply(...write(EVENTS, () => newest));
    expect(paints).toMatchObject({ listRuns: 0, rowRuns: 1 });
  });

  it('A frame composes only the conversation that it changes, and reads nothing.', () => {
    const before = new Map(ids.map((id): [string, ConversationView] => [id, scene.shown(id)!]));
    scene.store.apply(...write(1, () => 4_321));
    expect(ids.filter(id => scene.shown(id) !== before.get(id))).toEqual([ids[4_321]]);
    expect(scene.neededIds()).toEqual([]);
  });
});
