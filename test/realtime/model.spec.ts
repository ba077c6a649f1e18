import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { EVENT_ROUTES } from '../../src/modules/realtime/event-routes.js';
import { ReplayService } from '../../src/modules/realtime/replay.service.js';
import { ConversationsRepository } from '../../src/modules/conversations/conversations.repository.js';
import { MessagesRepository } from '../../src/modules/conversations/messages/messages.repository.js';
import { EventRepository } from '../../src/platform/events/event.repository.js';
import { SocketHub } from '../../src/platform/sockets/socket-hub.js';
import type { Step, ConversationDesk } from '../support/conversation-steps.js';
import { steps, LiveConversation, openConversationDesk } from '../support/conversation-steps.js';
import type { Person } from '../support/conversation-model.js';
import { PERSONS } from '../support/conversation-model.js';
import { World } from '../support/world.js';

/** MODEL_RUNS=… talks for long; MODEL_SEED=…, MODEL_PATH=… and MODEL_REPLAY=… repeat what has failed. */
const RUNS = Number(process.env.MODEL_RUNS ?? 60);
const SEED = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const PATH = process.env.MODEL_PATH;
const REPLAY = process.env.MODEL_REPLAY;

let world: World;
let at: ConversationDesk;

// a server of its own: what other tests hold open would hold back the log, and every cursor with it
beforeAll(async () => {
  world = await World.start({}, { alone: true });
  at = await openConversationDesk(world);
}, 60_000);
afterAll(async () => {
  await world?.stop();
});

type Talked = [near: boolean, early: Person[], commands: Iterable<Step>];

/** Any talk, each in a conversation of its own, so that one that fails can be had again, and shortened. */
function anyTalk(): fc.IAsyncPropertyWithHooks<Talked> {
  const commands = fc.commands(steps(), {
    maxCommands: 30,
    size: 'medium',
    ...(REPLAY === undefined ? {} : { replayPath: REPLAY }),
  });
  return fc.asyncProperty(fc.boolean(), fc.subarray([...PERSONS]), commands, async (near, early, taken) => {
    const { model, real } = await LiveConversation.begin(at, near, early);
    try {
      await fc.asyncModelRun(() => ({ model, real }), taken);
      await real.compare(model);
    } finally {
      real.end();
    }
  });
}

describe('a conversation of three clients that come, go, drop out and come back', () => {
  it(
    'is as the model of it says, and each has heard what it was to hear, in order, and nothing else',
    async () => {
      await fc.assert(anyTalk(), { seed: SEED, numRuns: RUNS, ...(PATH === undefined ? {} : { path: PATH }) });
    },
    120_000 + RUNS * 5_000,
  );
});

describe('the model finds', () => {
  afterEach(() => void jest.restoreAllMocks());

  const service = <T extends object>(type: new (...args: never[]) => T): T => world.app.app.get(type);

  /** Ways to break the service, each of which some talk comes to feel. */
  const FAULTS: Record<string, () => void> = {
    'a note that the visitor is told of': () => {
      const route = EVENT_ROUTES['message.created'];
      jest.spyOn(route as { visitor: (...args: never[]) => object }, 'visitor').mockImplementation((({
        payload,
      }: Parameters<NonNullable<typeof route.agents>['data']>[0]) => {
        const { id, status, last_public_seq, unread, last_public_activity_at } = payload.conversation;
        const shown = { id, status, last_seq: last_public_seq, unread, last_activity_at: last_public_activity_at };
        return { message: payload.message, conversation: shown };
      }) as never);
    },
    'a resume that leaves out the first of what was missed': () => {
      const replay = service(ReplayService);
      const missed = replay.missed.bind(replay);
      jest.spyOn(replay, 'missed').mockImplementation(async (...args) => {
        const found = await missed(...args);
        return 'frames' in found ? { ...found, frames: found.frames.slice(1) } : found;
      });
    },
    'a resume in the wrong order': () => {
      const replay = service(ReplayService);
      const missed = replay.missed.bind(replay);
      jest.spyOn(replay, 'missed').mockImplementation(async (...args) => {
        const found = await missed(...args);
        return 'frames' in found ? { ...found, frames: [...found.frames].reverse() } : found;
      });
    },
    'a frame that is lost now and then': () => {
      const hub = service(SocketHub);
      const broadcast = hub.broadcast.bind(hub);
      let count = 0;
      jest.spyOn(hub, 'broadcast').mockImplementation((...args) => {
        count += 1;
        if (count % 10 !== 0) broadcast(...args);
      });
    },
    'words that are told again after they were taken back': () => {
      jest.spyOn(service(EventRepository), 'scrubMessage').mockResolvedValue();
    },
    'a count of what is unread that is not made anew when a message is unsent': () => {
      const messages = service(MessagesRepository);
      const unread = messages.unread.bind(messages);
      jest.spyOn(messages, 'unread').mockImplementation(async (conversation, agents, contact) => {
        const counted = await unread(conversation, agents, contact);
        return { ...counted, contact: Math.max(counted.contact, conversation.unreadContact) };
      });
    },
    'a message that is said twice under one id of its client’s': () => {
      jest.spyOn(service(MessagesRepository), 'byClientId').mockResolvedValue(null);
    },
    'a status that is not kept': () => {
      const conversations = service(ConversationsRepository);
      const update = conversations.update.bind(conversations);
      jest.spyOn(conversations, 'update').mockImplementation((conversation, { status: _status, ...columns }) => {
        return update(conversation, columns);
      });
    },
  };

  it.each(Object.keys(FAULTS))(
    '%s',
    async name => {
      FAULTS[name]?.();
      const found = await fc.check(anyTalk(), { seed: 1, numRuns: 200, endOnFailure: true });
      expect([name, found.failed]).toEqual([name, true]);
      // frames that are wrong on purpose
      world.contract.faults.length = 0;
    },
    300_000,
  );
});
