/**
 * The words that the project does not use, and why: a reader who knows chat servers and PostgreSQL decodes nothing.
 * The lint (`lint/plain-language.js`) keeps them out of identifiers, comments and test names; a test keeps them out of
 * API summaries and documents.
 */

/** Words of no identifier: metaphors, and words that had several meanings. The field's term is named beside each. */
export const IDENTIFIER_WORDS = {
  place: 'position, scope, location or field',
  places: 'positions, scopes, locations or fields',
  door: 'route, gateway or authorizer',
  doors: 'routes, gateways or authorizers',
  twin: 'implementation, existing message or concurrent request',
  twins: 'implementations or duplicates',
  standing: 'status or state',
  standings: 'statuses or states',
  hold: 'lock or keep',
  holds: 'lock, has or contains',
  held: 'locked or pending',
  holder: 'hook or owner',
  holders: 'hooks or owners',
  holding: 'teardown hook',
  holdings: 'teardown hooks',
  tell: 'send, record or notify',
  tells: 'sends, records or notifies',
  told: 'sent or result',
  said: 'sent, content or message',
  say: 'send or print',
  says: 'sends or states',
  wanted: 'request or requested',
  hear: 'receive or handle',
  hears: 'receives or has subscribers',
  heard: 'received',
  hearing: 'delivery',
  hearings: 'deliveries',
  roster: 'presence store',
  shelf: 'hash or store',
  glance: 'state',
  whoever: 'caller or client',
  beat: 'heartbeat',
  succession: 'reencryption',
  departures: 'deactivation',
  gathering: 'batcher',
  gathered: 'batched',
};

/** Openings of no comment: they begin a riddle instead of a statement. */
export const COMMENT_OPENINGS = ['What', 'Who', 'Whoever', 'Whether', 'Of', 'Those'];

/** Words of no comment, test name, summary or document. */
export const PROSE_WORDS = {
  whoever: 'a caller, a client, any …',
  twin: 'implementation, existing message, concurrent request',
  twins: 'implementations, duplicates',
  roster: 'presence store',
  holdings: 'teardown hooks',
  'passing frame': 'ephemeral frame',
  'passing frames': 'ephemeral frames',
  'durable reader': 'event consumer',
  'durable readers': 'event consumers',
  'rooms to its right': 'modules to its right',
  'rooms further right': 'modules to the right',
  'the long way': 'the locking path',
  'the short way': 'the fast path',
};

/** @returns the words of a name in camelCase, PascalCase or CONSTANT_CASE; none of a wire or column name (snake_case) */
function wordsOf(name) {
  if (/^[a-z0-9]+(_[a-z0-9]+)+$/.test(name)) return [];
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}

/** @returns what is wrong with a name; null where nothing is */
export function identifierFault(name) {
  const word = wordsOf(name).find(each => Object.hasOwn(IDENTIFIER_WORDS, each));
  return word === undefined ? null : `"${name}" contains "${word}"; use ${IDENTIFIER_WORDS[word]}`;
}

/** @returns the words of a text that the project does not use */
export function proseFaults(text) {
  const lower = text.toLowerCase().replace(/\s+/g, ' ');
  return Object.entries(PROSE_WORDS)
    .filter(([word]) => new RegExp(`\\b${word}\\b`).test(lower))
    .map(([word, better]) => `it contains "${word}"; use ${better}`);
}

/** @param text of a comment, with or without its stars @returns what is wrong with it */
export function commentFaults(text) {
  const prose = text.replace(/^[\s*]+/gm, ' ').trim();
  const opening = COMMENT_OPENINGS.find(word => new RegExp(`^${word}\\b`).test(prose));
  const faults = opening ? [`it begins with "${opening}"; begin with the subject or a verb`] : [];
  return [...faults, ...proseFaults(prose)];
}

/** @param title of a test @returns what is wrong with it: it must be a sentence that stands alone */
export function titleFaults(title) {
  const isSentence = /^[A-Z0-9`"'“‘$%/*{<[(]/.test(title) && title.trim().split(/\s+/).length >= 3;
  const faults = isSentence ? [] : ['it is no sentence that stands alone; begin with the actor: "An agent cannot …"'];
  return [...faults, ...proseFaults(title)];
}
