import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestSocket } from '../support/socket.js';
import type { Agent, Desk } from '../support/world.js';
import { World } from '../support/world.js';

let world: World;
let desk: Desk;
let conversation: string;
let inbox: TestSocket;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
  conversation = (await world.conversation(await world.visitor(desk))).id as string;
  inbox = await world.agentSocket(desk.owner);
});

const view = (socket: TestSocket, id: unknown) => socket.send({ type: 'viewing', conversation_id: id });
const told = (socket: TestSocket, id = conversation) =>
  socket.of('viewing.updated').filter(({ data }) => data.conversation_id === id);
/** Until the socket has been told so many times of a conversation; then who was named, each time. */
async function viewers(socket: TestSocket, count: number, id = conversation): Promise<string[][]> {
  await socket.next('viewing.updated', () => told(socket, id).length >= count);
  return told(socket, id).map(({ data }) => data.members as string[]);
}
async function agents(): Promise<[Agent, Agent]> {
  return [await world.colleague(desk), await world.colleague(desk)];
}

describe('an agent that has a conversation before it', () => {
  it('is told who else has, and all who may see it are told of it', async () => {
    const [ada, mark] = await agents();
    const [one, other] = [await world.agentSocket(ada), await world.agentSocket(mark)];
    const room = await world.agentSocket(desk.owner, { room: conversation });
    view(one, conversation);
    expect(await viewers(one, 1)).toEqual([[ada.memberId]]);
    view(other, conversation);
    const both = [ada.memberId, mark.memberId].sort();
    expect(await viewers(other, 2)).toEqual([[ada.memberId], both]);
    for (const socket of [one, inbox, room]) expect(await viewers(socket, 2)).toEqual([[ada.memberId], both]);
    expect(told(inbox)[0]?.conversation_id).toBe(conversation);
  });

  it('is answered each time it says so, also when nothing is new', async () => {
    view(inbox, conversation);
    view(inbox, conversation);
    expect(await viewers(inbox, 2)).toEqual([[desk.owner.memberId], [desk.owner.memberId]]);
    await inbox.settled();
    expect(told(inbox)).toHaveLength(2);
  });

  it('is one, however many of its sockets say so', async () => {
    const [ada] = await agents();
    const sockets = [await world.agentSocket(ada), await world.agentSocket(ada), await world.agentSocket(ada)];
    for (const socket of sockets) {
      view(socket, conversation);
      // Each of them hears of the first one's view before its own is handled.
      await socket.settled();
    }
    for (const socket of sockets) {
      await inbox.settled();
      expect(await viewers(inbox, 1)).toEqual([[ada.memberId]]);
      await socket.close();
    }
    expect(await viewers(inbox, 2)).toEqual([[ada.memberId], []]);
  });

  it.each<[string, (socket: TestSocket) => unknown]>([
    ['it has none', socket => view(socket, null)],
    ['it has another', async socket => view(socket, (await world.conversation(await world.visitor(desk))).id)],
    ['its socket closes', socket => socket.close()],
    ['its connection breaks', socket => socket.ws.terminate()],
  ])('has it no longer once %s', async (_when, end) => {
    const [ada] = await agents();
    const socket = await world.agentSocket(ada);
    view(socket, conversation);
    await viewers(inbox, 1);
    await end(socket);
    expect(await viewers(inbox, 2)).toEqual([[ada.memberId], []]);
  });

  it('has it no longer when it may not see it any more', async () => {
    const shop = await world.channel(desk);
    const ada = await world.colleague(desk);
    const socket = await world.agentSocket(ada);
    view(socket, conversation);
    await viewers(inbox, 1);
    const path = `/v1/workspace/members/${ada.memberId}`;
    await desk.owner.api.patch(path, { name: 'Ada' });
    await inbox.next('member.updated');
    await desk.owner.api.patch(path, { channel_ids: [shop.id] });
    expect(await viewers(inbox, 2)).toEqual([[ada.memberId], []]);
    view(socket, conversation);
    expect((await socket.next('error')).error?.code).toBe('not_found');
    await inbox.settled();
    expect(told(inbox)).toHaveLength(2);
    expect(told(socket)).toHaveLength(1);
  });

  it('has it no longer when it is deactivated', async () => {
    const ada = await world.colleague(desk);
    const socket = await world.agentSocket(ada);
    view(socket, conversation);
    await viewers(inbox, 1);
    await desk.owner.api.post(`/v1/workspace/members/${ada.memberId}/deactivate`);
    expect(await viewers(inbox, 2)).toEqual([[ada.memberId], []]);
  });
});

describe('who may know', () => {
  it('is told what is before whom when its inbox opens', async () => {
    view(inbox, conversation);
    await viewers(inbox, 1);
    const shop = await world.channel(desk);
    const late = await world.agentSocket(await world.colleague(desk, { channel_ids: [desk.channelId] }));
    expect(await viewers(late, 1)).toEqual([[desk.owner.memberId]]);
    const outside = await world.agentSocket(await world.colleague(desk, { channel_ids: [shop.id] }));
    const room = await world.agentSocket(await world.colleague(desk), { room: conversation });
    for (const socket of [outside, room]) {
      await socket.settled();
      expect(told(socket)).toEqual([]);
    }
  });

  it('is nobody of another channel or workspace, and no visitor', async () => {
    const shop = await world.channel(desk);
    const elsewhere = await world.desk();
    const visitor = await world.visitor(desk);
    const own = (await world.conversation(visitor)).id as string;
    const strangers = [
      await world.agentSocket(await world.colleague(desk, { channel_ids: [shop.id] })),
      await world.agentSocket(elsewhere.owner),
      await world.visitorSocket(visitor),
      await world.visitorSocket(visitor, { conv: own }),
    ];
    view(inbox, own);
    await viewers(inbox, 1, own);
    for (const socket of strangers) {
      await socket.settled();
      expect(socket.of('viewing.updated')).toEqual([]);
    }
  });

  it.each([
    [
      'of another workspace',
      'not_found',
      async () => (await world.conversation(await world.visitor(await world.desk()))).id,
    ],
    ['that there is none of', 'not_found', () => '01a1ffb3-96e6-76b7-b935-13b19ddd2d7f'],
    ['that is no id', 'not_found', () => 'x'],
    ['that is not named', 'validation_failed', () => undefined],
    ['that is a number', 'validation_failed', () => 7],
  ] as [string, string, () => unknown][])('cannot have one before it %s', async (_which, code, id) => {
    view(inbox, await id());
    expect((await inbox.next('error')).error?.code).toBe(code);
    expect(inbox.of('viewing.updated')).toEqual([]);
  });

  it('is no visitor, who cannot say it either', async () => {
    const page = await world.visitorSocket(await world.visitor(desk));
    view(page, conversation);
    expect((await page.next('error')).error?.code).toBe('frame_unknown');
  });
});
