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

const sendViewing = (socket: TestSocket, id: unknown) => socket.send({ type: 'viewing', conversation_id: id });
const viewingFrames = (socket: TestSocket, id = conversation) =>
  socket.of('viewing.updated').filter(({ data }) => data.conversation_id === id);
/** Waits for `count` viewing frames of the conversation. @returns the members of each */
async function viewers(socket: TestSocket, count: number, id = conversation): Promise<string[][]> {
  await socket.next('viewing.updated', () => viewingFrames(socket, id).length >= count);
  return viewingFrames(socket, id).map(({ data }) => data.members as string[]);
}
async function createAgents(): Promise<[Agent, Agent]> {
  return [await world.colleague(desk), await world.colleague(desk)];
}

describe('An agent that views a conversation', () => {
  it('Viewers of a conversation are sent to all agents who may see it', async () => {
    const [ada, mark] = await createAgents();
    const [one, other] = [await world.agentSocket(ada), await world.agentSocket(mark)];
    const room = await world.agentSocket(desk.owner, { room: conversation });
    sendViewing(one, conversation);
    expect(await viewers(one, 1)).toEqual([[ada.memberId]]);
    sendViewing(other, conversation);
    const both = [ada.memberId, mark.memberId].sort();
    expect(await viewers(other, 2)).toEqual([[ada.memberId], both]);
    for (const socket of [one, inbox, room]) expect(await viewers(socket, 2)).toEqual([[ada.memberId], both]);
    expect(viewingFrames(inbox)[0]?.conversation_id).toBe(conversation);
  });

  it('Each viewing frame is answered, even if nothing has changed', async () => {
    sendViewing(inbox, conversation);
    sendViewing(inbox, conversation);
    expect(await viewers(inbox, 2)).toEqual([[desk.owner.memberId], [desk.owner.memberId]]);
    await inbox.settled();
    expect(viewingFrames(inbox)).toHaveLength(2);
  });

  it('An agent that views on several sockets is listed once, until the last one closes', async () => {
    const [ada] = await createAgents();
    const sockets = [await world.agentSocket(ada), await world.agentSocket(ada), await world.agentSocket(ada)];
    for (const socket of sockets) {
      sendViewing(socket, conversation);
      // Each socket receives the first viewer before its own frame is handled.
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
    ['it sends viewing null', socket => sendViewing(socket, null)],
    [
      'it views another conversation',
      async socket => sendViewing(socket, (await world.conversation(await world.visitor(desk))).id),
    ],
    ['its socket closes', socket => socket.close()],
    ['its connection breaks', socket => socket.ws.terminate()],
  ])('An agent stops viewing when %s', async (_cause, end) => {
    const [ada] = await createAgents();
    const socket = await world.agentSocket(ada);
    sendViewing(socket, conversation);
    await viewers(inbox, 1);
    await end(socket);
    expect(await viewers(inbox, 2)).toEqual([[ada.memberId], []]);
  });

  it('An agent stops viewing when it loses access to the channel', async () => {
    const shop = await world.channel(desk);
    const ada = await world.colleague(desk);
    const socket = await world.agentSocket(ada);
    sendViewing(socket, conversation);
    await viewers(inbox, 1);
    const path = `/v1/workspace/members/${ada.memberId}`;
    await desk.owner.api.patch(path, { name: 'Ada' });
    await inbox.next('member.updated');
    await desk.owner.api.patch(path, { channel_ids: [shop.id] });
    expect(await viewers(inbox, 2)).toEqual([[ada.memberId], []]);
    sendViewing(socket, conversation);
    expect((await socket.next('error')).error?.code).toBe('not_found');
    await inbox.settled();
    expect(viewingFrames(inbox)).toHaveLength(2);
    expect(viewingFrames(socket)).toHaveLength(1);
  });

  it('An agent stops viewing when it is deactivated', async () => {
    const ada = await world.colleague(desk);
    const socket = await world.agentSocket(ada);
    sendViewing(socket, conversation);
    await viewers(inbox, 1);
    await desk.owner.api.post(`/v1/workspace/members/${ada.memberId}/deactivate`);
    expect(await viewers(inbox, 2)).toEqual([[ada.memberId], []]);
  });
});

describe('Access to viewers', () => {
  it('A new inbox socket receives the current viewers of conversations it may see', async () => {
    sendViewing(inbox, conversation);
    await viewers(inbox, 1);
    const shop = await world.channel(desk);
    const late = await world.agentSocket(await world.colleague(desk, { channel_ids: [desk.channelId] }));
    expect(await viewers(late, 1)).toEqual([[desk.owner.memberId]]);
    const outside = await world.agentSocket(await world.colleague(desk, { channel_ids: [shop.id] }));
    const room = await world.agentSocket(await world.colleague(desk), { room: conversation });
    for (const socket of [outside, room]) {
      await socket.settled();
      expect(viewingFrames(socket)).toEqual([]);
    }
  });

  it('Viewers are not sent to agents of another channel or workspace, nor to visitors', async () => {
    const shop = await world.channel(desk);
    const elsewhere = await world.desk();
    const visitor = await world.visitor(desk);
    const viewed = (await world.conversation(visitor)).id as string;
    const strangers = [
      await world.agentSocket(await world.colleague(desk, { channel_ids: [shop.id] })),
      await world.agentSocket(elsewhere.owner),
      await world.visitorSocket(visitor),
      await world.visitorSocket(visitor, { conv: viewed }),
    ];
    sendViewing(inbox, viewed);
    await viewers(inbox, 1, viewed);
    for (const socket of strangers) {
      await socket.settled();
      expect(socket.of('viewing.updated')).toEqual([]);
    }
  });

  it.each([
    [
      'another workspace’s conversation',
      'not_found',
      async () => (await world.conversation(await world.visitor(await world.desk()))).id,
    ],
    ['an unknown id', 'not_found', () => '01a1ffb3-96e6-76b7-b935-13b19ddd2d7f'],
    ['a malformed id', 'not_found', () => 'x'],
    ['no id', 'validation_failed', () => undefined],
    ['a number', 'validation_failed', () => 7],
  ] as [string, string, () => unknown][])('Viewing %s is refused with %s', async (_name, code, id) => {
    sendViewing(inbox, await id());
    expect((await inbox.next('error')).error?.code).toBe(code);
    expect(inbox.of('viewing.updated')).toEqual([]);
  });

  it('A visitor cannot send viewing (frame_unknown)', async () => {
    const page = await world.visitorSocket(await world.visitor(desk));
    sendViewing(page, conversation);
    expect((await page.next('error')).error?.code).toBe('frame_unknown');
  });
});
