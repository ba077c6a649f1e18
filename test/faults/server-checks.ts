import type { History, WatchedBot, WatchedWebhook } from './history.js';
import type { EventRow, MessageRow, Reading, TurnRow } from './reading.js';

/** Events that a webhook for `*` receives. */
const OFFERED = /^(message|conversation|contact|member|bot|channel|canned_response|tag)\.|^workspace\.updated$/;
/** States in which nothing more happens to a turn. */
const FINAL = ['answered', 'cancelled', 'failed'];

/** Invariants of webhooks and bots, like those of `checker.ts`. */
export const SERVER_INVARIANTS = {
  /** Each committed event reaches the endpoint at least once, and first attempts are in order per conversation. */
  *I22({ webhooks }: History, { events, deliveries }: Reading) {
    for (const webhook of webhooks) {
      yield* undelivered(webhook, events);
      yield* disorder(webhook, events);
      if (webhook.unsigned > 0) yield `${webhook.unsigned} deliveries to ${webhook.id} had no valid signature`;
    }
    const watched = new Set(webhooks.map(({ id }) => id));
    for (const { webhook_id: id, event_id: eventId, statuses } of deliveries) {
      if (!watched.has(id)) continue;
      if (statuses.join() !== 'delivered') yield `the deliveries of ${eventId} to ${id} are ${statuses.join(', ')}`;
    }
  },

  /** Each message to a bot is a turn, which is answered once, or the conversation is handed off. */
  *I23({ bots }: History, { turns, messages, timeline }: Reading) {
    const handedOver = new Set(
      timeline.filter(({ event }) => event === 'handed_over').map(({ conversation_id: id }) => id),
    );
    for (const bot of bots) {
      const own = turns.filter(({ bot_id: id }) => id === bot.id);
      yield* outOfTurn(bot, own);
      for (const turn of own.filter(({ kind }) => kind === 'message')) {
        yield* wronglyAnswered(bot, turn, messages, handedOver.has(turn.conversation_id));
      }
      yield* unasked(own, messages, handedOver);
      if (bot.unsigned > 0) yield `${bot.unsigned} turns of ${bot.id} had no valid signature`;
    }
  },
};

function* undelivered({ id, workspaceId, from, received }: WatchedWebhook, events: readonly EventRow[]) {
  const arrived = new Set(received);
  const selected = events.filter(event => event.workspace_id === workspaceId && OFFERED.test(event.type));
  for (const event of selected.filter(({ position }) => BigInt(position) > from))
    if (!arrived.has(event.id)) yield `${event.type} ${event.id} did not reach the webhook ${id}`;
  const committed = new Set(selected.map(event => event.id));
  for (const eventId of arrived)
    if (!committed.has(eventId)) yield `the webhook ${id} received ${eventId}, which is not in its log`;
}

/** The first arrivals of each conversation follow its log. */
function* disorder({ id, received }: WatchedWebhook, events: readonly EventRow[]) {
  const byId = new Map(events.map(event => [event.id, event]));
  const last = new Map<string, bigint>();
  for (const eventId of new Set(received)) {
    const event = byId.get(eventId);
    if (!event?.conversation_id) continue;
    const position = BigInt(event.position);
    if (position < (last.get(event.conversation_id) ?? 0n))
      yield `the webhook ${id} received ${event.type} ${eventId} after a later event of its conversation`;
    last.set(event.conversation_id, position);
  }
}

/** The first arrivals of each conversation have rising numbers. */
function* outOfTurn({ id, received }: WatchedBot, turns: readonly TurnRow[]) {
  const byId = new Map(turns.map(turn => [turn.id, turn]));
  const last = new Map<string, number>();
  for (const turnId of new Set(received)) {
    const turn = byId.get(turnId);
    if (!turn) yield `the bot ${id} received the turn ${turnId}, which has no row`;
    else if (turn.kind === 'message' && turn.seq < (last.get(turn.conversation_id) ?? 0))
      yield `the bot ${id} received the turn ${turnId} after a later one`;
    if (turn?.kind === 'message') last.set(turn.conversation_id, turn.seq);
  }
}

function* wronglyAnswered(
  { received, answers }: WatchedBot,
  turn: TurnRow,
  messages: readonly MessageRow[],
  isHandedOver: boolean,
) {
  const { id, state } = turn;
  const planned = answers.get(id);
  if (!FINAL.includes(state)) yield `the turn ${id} is ${state}`;
  if (state !== 'answered' && !isHandedOver) yield `the turn ${id} is ${state} and its conversation was not handed off`;
  if (state === 'answered' && !(received.includes(id) && planned)) yield `the turn ${id} was never delivered`;
  const stored = messages.filter(({ client_message_id: key }) => key?.replace(/:\d+$/, '') === id);
  const expected = (planned?.contents ?? []).map((content, index) => ({ key: `${id}:${index + 1}`, content }));
  for (const { key, content } of expected) {
    const times = messages.filter(message => message.content === content && message.sender_type === 'bot');
    if (times.length > 1) yield `the turn ${id} was answered ${times.length} times by "${content}"`;
    if (state === 'answered' && times.length === 0) yield `the turn ${id} was answered and "${content}" is missing`;
    const numbered = planned?.isLater ? [] : times;
    for (const { client_message_id: found } of numbered)
      if (found !== key) yield `"${content}" of the turn ${id} has the key ${found}`;
  }
  for (const { content, truncated } of stored) {
    const isPart = (planned?.contents ?? []).some(whole => truncated && whole.startsWith(content ?? ''));
    if (isPart && !isHandedOver) yield `the turn ${id} has part of an answer and its conversation was not handed off`;
    if (!isPart && !planned?.contents.includes(content ?? ''))
      yield `"${content}" answers the turn ${id}, and the bot did not send it`;
  }
}

/** Contacts' messages before the handoff that never became a turn, or became two. */
function* unasked(turns: readonly TurnRow[], messages: readonly MessageRow[], handedOver: ReadonlySet<string>) {
  const conversationIds = new Set(turns.map(({ conversation_id: id }) => id));
  for (const { id, conversation_id: conversationId, sender_type: sender } of messages) {
    if (sender !== 'contact' || !conversationIds.has(conversationId)) continue;
    const times = turns.filter(({ message_id: messageId }) => messageId === id).length;
    if (times > 1) yield `the message ${id} became ${times} turns`;
    if (times === 0 && !handedOver.has(conversationId)) yield `the message ${id} became no turn`;
  }
}
