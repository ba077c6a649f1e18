import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { EVENT_REGISTRY } from '../../src/events.js';
import { ReplayService } from '../../src/modules/realtime/replay.service.js';
import { ConversationsRepository } from '../../src/modules/conversations/conversations.repository.js';
import { MessagesRepository } from '../../src/modules/messages/messages.repository.js';
import { EventRepository } from '../../src/platform/events/event.repository.js';
import { SocketHub } from '../../src/platform/sockets/socket-hub.js';
import type { Person } from '../support/conversation-model.js';
import { PERSONS } from '../support/conversation-model.js';
import type { Step } from '../support/conversation-steps.js';
import { steps } from '../support/conversation-steps.js';
import type { ConversationDesk } from '../support/live-conversation.js';
import { LiveConversation, openConversationDesk } from '../support/live-conversation.js';
import { World } from '../support/world.js';

/** MODEL_RUNS sets the number of runs; MODEL_SEED, MODEL_PATH and MODEL_REPLAY repeat a failed run. */
const RUNS = Number(process.env.MODEL_RUNS ?? 60);
const SEED = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const PATH = process.env.MODEL_PATH;
const REPLAY = process.env.MODEL_REPLAY;

let world: World;
let desk: ConversationDesk;

// A PostgreSQL server of its own: open transactions of other tests would delay the log, and every cursor with it.
beforeAll(async () => {
  world = await World.start({}, { alone: true });
  desk = await openConversationDesk(world);
});
afterAll(async () => {
  await world?.stop();
});

type ConversationRun = [near: boolean, early: Person[], commands: Iterable<Step>];

/** A property over random conversations. Each run has a new one, so that a failed run can be repeated and shrunk. */
function conversationProperty(): fc.IAsyncPropertyWithHooks<ConversationRun> {
  const commands = fc.commands(steps(), {
    maxCommands: 30,
    size: 'medium',
    ...(REPLAY === undefined ? {} : { replayPath: REPLAY }),
  });
  return fc.asyncProperty(fc.boolean(), fc.subarray([...PERSONS]), commands, async (near, early, chosen) => {
    const { model, real } = await LiveConversation.begin(desk, near, early);
    try {
      await fc.asyncModelRun(() => ({ model, real }), chosen);
      await real.compare(model);
    } finally {
      real.end();
    }
  });
}

describe('A conversation of three clients that connect, disconnect and resume', () => {
  it(
    'A conversation matches its model, and each client receives exactly its frames, in order, across reconnects',
    async () => {
      await fc.assert(conversationProperty(), {
        seed: SEED,
        numRuns: RUNS,
        ...(PATH === undefined ? {} : { path: PATH }),
      });
    },
    120_000 + RUNS * 5_000,
  );
});

describe('Planted faults', () => {
  afterEach(() => void jest.restoreAllMocks());

  const service = <T extends object>(type: new (...args: never[]) => T): T => world.app.app.get(type);

  function changeReplay(change: <Frame>(frames: readonly Frame[]) => Frame[]): void {
    const replay = service(ReplayService);
    const missed = replay.findMissed.bind(replay);
    jest.spyOn(replay, 'findMissed').mockImplementation(async (...args) => {
      const found = await missed(...args);
      return 'frames' in found ? { ...found, frames: change(found.frames) } : found;
    });
  }

  /** Faults planted in the service. The model must find each of them. */
  const FAULTS: Record<string, () => void> = {
    'a private note sent to the visitor': () => {
      const { visitor } = EVENT_REGISTRY.get('message.created');
      if (!visitor) throw new Error('visitors receive no messages');
      jest.spyOn(visitor, 'data').mockImplementation(({ payload }) => {
        const { id, status, last_public_seq, unread, last_public_activity_at } = payload.conversation;
        const shown = { id, status, last_seq: last_public_seq, unread, last_activity_at: last_public_activity_at };
        return { message: payload.message, conversation: shown };
      });
    },
    'a resume that leaves out the first missed frame': () => changeReplay(frames => frames.slice(1)),
    'a resume in the wrong order': () => changeReplay(frames => frames.toReversed()),
    'a lost frame': () => {
      const hub = service(SocketHub);
      const broadcast = hub.broadcast.bind(hub);
      let count = 0;
      jest.spyOn(hub, 'broadcast').mockImplementation((...args) => {
        count += 1;
        if (count % 10 !== 0) broadcast(...args);
      });
    },
    'an unsent message whose text is replayed': () => {
      jest.spyOn(service(EventRepository), 'scrubUnsent').mockResolvedValue();
    },
    'an unread count that ignores an unsent message': () => {
      const messages = service(MessagesRepository);
      const unread = messages.countUnread.bind(messages);
      jest.spyOn(messages, 'countUnread').mockImplementation(async (conversation, agents, contact) => {
        const counted = await unread(conversation, agents, contact);
        return { ...counted, contact: Math.max(counted.contact, conversation.unreadContact) };
      });
    },
    'a message stored twice for one client_message_id': () => {
      jest.spyOn(service(MessagesRepository), 'findByClientId').mockResolvedValue(null);
    },
    'a status that is not saved': () => {
      const conversations = service(ConversationsRepository);
      const update = conversations.update.bind(conversations);
      jest.spyOn(conversations, 'update').mockImplementation((conversation, { status: _status, ...columns }) => {
        return update(conversation, columns);
      });
    },
  };

  it.each(Object.keys(FAULTS))(
    'The model finds %s',
    async name => {
      FAULTS[name]?.();
      const found = await fc.check(conversationProperty(), { seed: 1, numRuns: 200, endOnFailure: true });
      expect([name, found.failed]).toEqual([name, true]);
      // The fault makes the service send invalid frames on purpose.
      world.contract.faults.length = 0;
    },
    300_000,
  );
});
