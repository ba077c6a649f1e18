import fc from 'fast-check';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

const PRESENCE_SUBJECT = 'presence';

/** An event as instances send it to each other. */
const EVENT = {
  id: ID,
  type: 'message.created',
  workspaceId: ID,
  channelId: ID,
  conversationId: ID,
  contactId: ID,
  actor: { type: 'contact', id: ID },
  payload: {},
  payloadVersion: 1,
  requestId: null,
  recordedAt: '2026-01-01T00:00:00.000000Z',
  xid: '9000000000000000000',
  position: '9000000000000000000',
  previous: null,
};
const TYPING = {
  type: 'typing',
  workspaceId: ID,
  channelId: ID,
  conversationId: ID,
  contactId: ID,
  senderKey: `contact:${ID}`,
  data: { conversation_id: ID, sender_type: 'contact', sender_id: ID, name: null, expires_in_ms: 8_000 },
  agentsOnly: false,
};
const NOTICE = { from: ID, base: 3, version: 4, changes: [[`members:${ID} ${ID}`, 'no JSON', 1]] };

/** Message bodies by subject, in the current version's format. */
const BODIES: Record<string, object> = { events: EVENT, typing: TYPING, [PRESENCE_SUBJECT]: NOTICE };

/** Messages that no instance of this version sends: typed by hand, from other programs or from other versions. */
export const WRONG_MESSAGES: readonly string[] = [
  'garbage',
  '',
  '{}',
  'null',
  'true',
  '0',
  '"text"',
  '[]',
  '[null]',
  '[1,2,3]',
  '[[],[],[]]',
  `["${ID}"]`,
  `["${ID}",null,{}]`,
  `["${ID}","events"]`,
  `["${ID}","__proto__",{}]`,
  `["${ID}","constructor",{}]`,
  `["${ID}","a subject of a newer version",{}]`,
  '\u0000\u0001\u0002',
  '\ud800',
  '['.repeat(100_000),
  `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  `["${ID}","events",${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}]`,
  `["${ID}","events","${'x'.repeat(8 * 1024 * 1024)}"]`,
  ...Object.entries(BODIES).flatMap(([subject, body]) => [
    // other versions: one field less, one more, or one of another type
    ...Object.keys(body).map(name => message(subject, { ...body, [name]: undefined })),
    ...Object.keys(body).flatMap(name =>
      [null, 1, 'x', {}, []].map(value => message(subject, { ...body, [name]: value })),
    ),
    message(subject, { ...body, added: { later: true } }),
    message(subject, body),
  ]),
  message('events', { ...EVENT, type: 'saved_reply.created' }),
  message(PRESENCE_SUBJECT, { ...NOTICE, base: 9e14, version: 9e14 + 1 }),
  message(PRESENCE_SUBJECT, { ...NOTICE, version: 1e300 }),
  message(PRESENCE_SUBJECT, { ...NOTICE, farewellMs: 1e300 }),
  message(PRESENCE_SUBJECT, { ...NOTICE, changes: [['nospace', 'x', 1]] }),
  message(PRESENCE_SUBJECT, { ...NOTICE, changes: [[`members:${ID} ${ID}`, '{"availability":"online"}', 1e300]] }),
];

/** Random messages: any text, any JSON, and the bodies above with any value in any field. */
export const wrongMessage: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc.tuple(fc.constantFrom(...Object.keys(BODIES)), fc.jsonValue()).map(([subject, body]) => message(subject, body)),
  fc
    .tuple(fc.constantFrom(...Object.entries(BODIES)), fc.nat(), fc.jsonValue())
    .map(([[subject, body], index, value]) => {
      const names = Object.keys(body);
      return message(subject, { ...body, [names[index % names.length] ?? '']: value });
    }),
);

function message(subject: string, body: unknown): string {
  return JSON.stringify([ID, subject, body]);
}
