import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookSignatureError } from '../../clients/sdk/src/webhooks.js';
import { compileWithSdk } from '../support/compile.js';

const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const EVENT = { id: 'e1', type: 'message.created', data: { message: { content: 'Wo ist mein Päckchen? 📦' } } };
const TEXT = JSON.stringify(EVENT);

/** Headers of a delivery that was signed this long ago. */
function signed(text = TEXT, secret = SECRET, ageMs = 0): Record<string, string> {
  const at = new Date(Date.now() - ageMs);
  return {
    'webhook-id': 'e1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('e1', at, text),
  };
}

describe('Verifying a delivery with the SDK', () => {
  it('A signed delivery returns its event, from a text or bytes, with headers of Node or of the Fetch API', () => {
    const bytes = new TextEncoder().encode(TEXT);
    const deliveries = [TEXT, bytes, Buffer.from(TEXT)].flatMap(body =>
      [signed(), new Headers(signed())].map(headers => verifyWebhook(body, headers, SECRET)),
    );
    expect(deliveries).toEqual(deliveries.map(() => EVENT));
  });

  it('A delivery that is also signed with another secret is accepted, as during a rotation', () => {
    const headers = signed();
    const other = signed(TEXT, `whsec_${Buffer.from('another secret').toString('base64')}`);
    const both = `${other['webhook-signature']} ${headers['webhook-signature']}`;
    expect(verifyWebhook(TEXT, { ...headers, 'webhook-signature': both }, SECRET)).toEqual(EVENT);
  });

  it.each<[string, string, Record<string, string | string[] | undefined>]>([
    ['signed with another secret', TEXT, signed(TEXT, 'whsec_b3RoZXI=')],
    ['whose body was changed', TEXT.replace('Wo', 'wo'), signed()],
    ['whose id was changed', TEXT, { ...signed(), 'webhook-id': 'e2' }],
    ['signed more than 5 minutes ago', TEXT, signed(TEXT, SECRET, 301_000)],
    ['signed more than 5 minutes ahead', TEXT, signed(TEXT, SECRET, -302_000)],
    ['without a signature', TEXT, { ...signed(), 'webhook-signature': undefined }],
    ['with two id headers', TEXT, { ...signed(), 'webhook-id': ['e1', 'e1'] }],
    ['without headers', TEXT, {}],
  ])('A delivery %s is refused', (_name, body, headers) => {
    expect(() => verifyWebhook(body, headers, SECRET)).toThrow(WebhookSignatureError);
  });

  it('A secret that is empty is a mistake of the program, not of the sender', () => {
    let thrown: unknown;
    try {
      verifyWebhook(TEXT, signed(), '');
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(Error);
    expect(thrown).not.toBeInstanceOf(WebhookSignatureError);
  });

  it('The event of a bot’s delivery narrows its type, and the answer has the format of the service', () => {
    const program = (property: string, action: string) => `
import { verifyWebhook, type BotAnswer, type BotDelivery } from '@support-chat/sdk/webhooks';
export function answer(body: Uint8Array, headers: Headers): BotAnswer {
  const delivery = verifyWebhook<BotDelivery>(body, headers, 'whsec_…');
  if (delivery.event !== 'message.created') return {};
  return { messages: [{ content: delivery.${property}.content ?? '' }], action: { type: '${action}' } };
}`;
    const [good, wrongProperty, wrongAction] = compileWithSdk([
      program('message', 'handoff'),
      program('reason', 'handoff'),
      program('message', 'explode'),
    ]);
    expect(good).toEqual([]);
    expect(wrongProperty).toEqual([expect.stringContaining("Property 'reason' does not exist")]);
    expect(wrongAction).toEqual([expect.stringContaining('"explode"')]);
  });
});
