import { resolve } from 'node:path';
import { withClient } from '../database.js';
import { random } from '../measure/statistics.js';
import { root } from '../processes.js';
import { copyRows, idOf } from './copy-rows.js';

/**
 * Fills a workspace with two years of messages, whose words are as unequally frequent as those of a language (Zipf), and
 * chooses the queries. The index is written with the service's own functions.
 */

const SPAN_MS = 2 * 365 * 86_400_000;
const SINCE = Date.UTC(2024, 0, 1);
const MESSAGES_EACH = 50;
const VOCABULARY = 200_000;
/** Words of a message. */
const LENGTHS = { least: 3, most: 30 };
const SYLLABLES = [...'bdfgklmnprstvz'].flatMap(consonant => [...'aeiou'].map(vowel => consonant + vowel));
/** Ranks of words by their frequency. */
const RANKS = { common: [0, 40], middle: [300, 3_000], rare: [20_000, 150_000] };
const QUERIES_EACH = 50;
const TYPE = 'message';

/** @returns queries by kind, 200 in all */
export async function fillMessages(url, ids, count, folder) {
  const { SEGMENT_DOCUMENTS } = await import(resolve(root, 'dist/modules/search/search-window.js'));
  const { termsByField, toTsvector } = await import(resolve(root, 'dist/modules/search/text/lexemes.js'));
  const segmentOf = number => 1 + Math.floor((number - 1) / SEGMENT_DOCUMENTS);
  await copyRows(url, CONVERSATION_TABLES, conversations(ids, count), folder);
  const tables = {
    message: MESSAGE,
    search_document: {
      workspace_id: row => row.workspaceId,
      id: row => row.id,
      type: () => TYPE,
      segment_id: row => segmentOf(row.number),
      channel_id: row => row.channelId,
      created_at: row => row.at,
      terms: row => toTsvector(segmentOf(row.number), termsByField([row.content])),
    },
  };
  const phrases = [];
  await copyRows(url, tables, sampled(messages(ids, count), count, phrases), folder);
  await withClient(url, async client => {
    await client.query(
      `INSERT INTO search_segment (workspace_id, source, documents, open, first_at, last_at)
       SELECT workspace_id, 'log', count(*), false, min(created_at), max(created_at)
       FROM search_document GROUP BY workspace_id, segment_id ORDER BY segment_id`,
    );
    await client.query('VACUUM (ANALYZE) search_segment');
    await client.query('CHECKPOINT');
  });
  return queriesOf(count, phrases);
}

/** @returns bytes of the index's table and of its parts */
export async function indexSize(url) {
  const { rows } = await withClient(url, client =>
    client.query(
      `SELECT pg_total_relation_size('search_document')::int8 AS total, pg_relation_size('ix_search_document_terms')::int8 AS terms`,
    ),
  );
  return { total: Number(rows[0].total), terms: Number(rows[0].terms) };
}

const CONVERSATION_TABLES = {
  contact: {
    workspace_id: row => row.workspaceId,
    id: row => row.id,
    name: row => `Contact ${row.number}`,
    created_at: row => row.at,
    updated_at: row => row.at,
  },
  conversation: {
    workspace_id: row => row.workspaceId,
    id: row => row.id,
    number: row => row.number,
    channel_id: row => row.channelId,
    contact_id: row => row.id,
    status: () => 'resolved',
    single: () => 't',
    last_activity_at: row => row.at,
    last_seq: () => MESSAGES_EACH,
    last_public_seq: () => MESSAGES_EACH,
    resolved_at: row => row.at,
    created_at: row => row.at,
    updated_at: row => row.at,
  },
};

const MESSAGE = {
  workspace_id: row => row.workspaceId,
  id: row => row.id,
  conversation_id: row => row.conversationId,
  seq: row => row.seq,
  sender_type: () => 'agent',
  sender_id: row => row.memberId,
  content: row => row.content,
  created_at: row => row.at,
};

function* conversations({ workspaceId, channelIds }, count) {
  for (let number = 1; number <= count / MESSAGES_EACH; number += 1) {
    const ms = timeOf(number * MESSAGES_EACH, count);
    const channelId = channelIds[number % channelIds.length];
    yield { workspaceId, number, id: conversationId(number, count), channelId, at: new Date(ms).toISOString() };
  }
}

/** Fifty conversations are active at a time, so that neighbours in time belong to different ones. */
function* messages({ workspaceId, channelIds, memberIds }, count) {
  const next = random(count);
  const words = zipf(next);
  const perBlock = MESSAGES_EACH * MESSAGES_EACH;
  for (let number = 1; number <= count; number += 1) {
    const block = Math.floor((number - 1) / perBlock);
    const offset = (number - 1) % perBlock;
    const conversation = 1 + block * MESSAGES_EACH + (offset % MESSAGES_EACH);
    const ms = timeOf(number, count);
    const length = LENGTHS.least + Math.floor(next() * (LENGTHS.most - LENGTHS.least));
    yield {
      workspaceId,
      number,
      id: idOf(ms, number),
      conversationId: conversationId(conversation, count),
      channelId: channelIds[conversation % channelIds.length],
      memberId: memberIds[number % memberIds.length],
      seq: 1 + Math.floor(offset / MESSAGES_EACH),
      at: new Date(ms).toISOString(),
      content: Array.from({ length }, () => wordOf(words())).join(' '),
    };
  }
}

/** Passes the messages on, and takes two neighbouring words of some of them. */
function* sampled(rows, count, phrases) {
  const every = Math.floor(count / QUERIES_EACH);
  for (const row of rows) {
    if (row.number % every === Math.floor(every / 2)) phrases.push(row.content.split(' ').slice(0, 2).join(' '));
    yield row;
  }
}

function timeOf(number, count) {
  return SINCE + Math.floor((number * SPAN_MS) / count);
}

function conversationId(number, count) {
  return idOf(timeOf(number * MESSAGES_EACH, count), number);
}

/** Returns a generator of ranks with the frequencies of a language. */
function zipf(next) {
  const sums = new Float64Array(VOCABULARY);
  let sum = 0;
  for (let rank = 0; rank < VOCABULARY; rank += 1) sums[rank] = sum += 1 / (rank + 2.7);
  return () => {
    const point = next() * sum;
    let [low, high] = [0, VOCABULARY - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] < point) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Frequent words are short. */
function wordOf(rank) {
  let word = '';
  for (let rest = rank; ; rest = Math.floor(rest / SYLLABLES.length) - 1) {
    word += SYLLABLES[rest % SYLLABLES.length];
    if (rest < SYLLABLES.length) return word;
  }
}

function queriesOf(count, phrases) {
  const next = random(count + 1);
  const one = ([from, to]) => wordOf(from + Math.floor(next() * (to - from)));
  const make = query => Array.from({ length: QUERIES_EACH }, query);
  return {
    'rare words': make(() => one(RANKS.rare)),
    'common words': make(() => `${one(RANKS.common)} ${one(RANKS.common)}`),
    phrases: phrases.slice(0, QUERIES_EACH).map(phrase => `"${phrase}"`),
    prefixes: make(() => `${one(RANKS.common)} ${one(RANKS.middle).slice(0, 3)}`),
  };
}
