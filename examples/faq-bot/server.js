import { setTimeout as wait } from 'node:timers/promises';
import express from 'express';
import { Webhook } from 'standardwebhooks';

/**
 * A bot that answers from the canned responses of its workspace: the one that shares most words with the question in its
 * title, short code and tags. Long answers are streamed. People get the conversation when nothing fits, or on request.
 */
const { CHAT_URL = 'http://localhost:3000', API_KEY, BOT_SECRET = '', PORT = '4001' } = process.env;
const LONG_CHARS = 80;
const ASKS_FOR_PERSON = /\b(person|people|human|agent|someone|somebody)\b/i;
const COMMON_WORDS =
  'a an and are can do does for from have how i in is it me my of on or the this to what when where who why you your';
const ignoredWords = new Set(COMMON_WORDS.split(' '));
const webhook = new Webhook(BOT_SECRET);

async function call(path, body) {
  const method = body ? 'POST' : 'GET';
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  const request = { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(5_000) };
  const response = await fetch(`${CHAT_URL}/v1${path}`, request);
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}`);
  return (await response.json()).data;
}

function wordsOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return new Set(words.filter(word => !ignoredWords.has(word)).map(word => word.replace(/s$/, '')));
}

/** @returns the text for this conversation; null if no canned response fits, or one of its variables has no value */
async function findAnswer(question, conversationId) {
  const words = wordsOf(question);
  let best = { score: 0 };
  for (let cursor = ''; cursor !== null;) {
    const page = await call(`/canned-responses?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    for (const { id, title, short_code, tags } of page.items) {
      const keywords = wordsOf([title, short_code, ...tags].join(' '));
      const score = [...words].filter(word => keywords.has(word)).length;
      if (score > best.score) best = { id, score };
    }
    cursor = page.next_cursor;
  }
  if (best.score === 0) return null;
  const { content, missing } = await call(`/canned-responses/${best.id}/render`, { conversation_id: conversationId });
  return missing.length === 0 ? content : null;
}

/** Sends the text word by word, until the service closes the connection because people have taken over. */
async function stream(response, text) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of text.match(/\s*\S+/g)) {
    if (response.destroyed) return;
    response.write(`event: delta\ndata: ${JSON.stringify({ text: piece })}\n\n`);
    await wait(30);
  }
  response.end();
}

const handOff = reason => ({ messages: [{ content: 'I will get a colleague.' }], action: { type: 'handoff', reason } });

const app = express();
// The signature covers the body as it arrived, so no JSON parser may run before.
app.post('/', express.raw({ type: 'application/json', limit: '2mb' }), async (request, response) => {
  let delivery;
  try {
    delivery = webhook.verify(request.body, request.headers);
  } catch {
    return response.sendStatus(401);
  }
  const { event, message, conversation } = delivery;
  if (event === 'test') return response.json({ messages: [{ content: 'The bot is ready.' }] });
  if (event !== 'message.created') return response.sendStatus(204);
  const question = message.content ?? '';
  if (ASKS_FOR_PERSON.test(question)) return response.json(handOff('asked_for_person'));
  const answer = await findAnswer(question, conversation.id);
  if (answer === null) return response.json(handOff('no_answer'));
  if (answer.length >= LONG_CHARS) return stream(response, answer);
  return response.json({ messages: [{ content: answer }] });
});

const server = app.listen(Number(PORT), error => {
  if (error) throw error;
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});
