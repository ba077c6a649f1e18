import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { eventually } from '../../support/eventually.js';
import type { MailServer } from '../../support/mail-server.js';
import { perform } from '../client.js';
import { Backend } from '../backend.js';
import type { FaultyDesk } from '../desk.js';
import { MAX_DUE_MS } from '../desk-checks.js';
import type { Fault, Scene } from '../fault.js';
import { killAt, pick, startDead } from '../fault.js';
import type { ExpectedMail } from '../history.js';
import { now } from '../history.js';
import type { Rule } from '../instance.js';
import { readDatabase } from '../reading.js';
import { setClocks } from './clock.js';

/** Longer than the lease of a mail and the pauses after its first attempts. */
const LATER_MS = 2 * 3_600_000;
const KILLED_MS = 4_000;
const TROUBLE_MS = 400;
/** Attempts to mail a transcript, of which the rate limit allows thirty, and the pause between them. */
const TRANSCRIPTS = 6;
const RETRIED_MS = 300;
const ATTEMPTED = `SELECT 1 FROM outgoing_mail WHERE subject_id = $1 AND (last_error IS NOT NULL OR status <> 'pending')`;
/** Longer than the start of an instance takes on a busy machine. */
const ATTEMPTED_MS = 30_000;
/** Mails of each kind per desk. */
const EACH = 2;

/** Troubles of the mail server. */
const TROUBLES: ((server: MailServer) => void)[] = [
  server => void (server.latency = 200),
  server => void (server.mode = 'busy'),
  server => void (server.mode = 'cuts'),
];

/** An instance dies while it sends mails, then the mail server is in trouble, and down. */
const mailing = (name: string, kill: (scene: Scene, server: MailServer, post: Post) => Promise<void>): Fault => ({
  number: 'F28',
  name,
  stage: { mail: true },
  async inject(scene) {
    const { stage, crowd, random } = scene;
    const server = stage.mail;
    if (!server) throw new Error('the stage has no mail server');
    const senders = crowd.desks.map(desk => new Sender(scene, desk));
    const post = () => Promise.all(senders.map(sender => sender.post())).then(() => undefined);
    await Promise.all(senders.map(sender => sender.followUp()));
    await kill(scene, server, post);
    const trouble = async () => {
      pick(random, TROUBLES)(server);
      await post();
      await delay(TROUBLE_MS);
      await server.stop();
      await post();
      await Promise.all(senders.map(sender => sender.revoke()));
      await server.mend();
    };
    await Promise.all([startDead(stage), trouble()]);
    await sendLater(scene);
    for (const { receivedAt, messageId = '', to } of server.mails) {
      const address = [to].flat()[0]?.text ?? '';
      crowd.history.receivedMails.push({ address, messageId: messageId.replace(/[<>]/g, ''), at: receivedAt });
    }
  },
});

type Post = () => Promise<void>;

const killed = (point: Rule['point'], name: string): Fault =>
  mailing(`an instance is killed ${name}`, (scene, _server, post) => {
    const after = Math.floor(scene.random() * 3);
    return killAt(scene, { point, after }, KILLED_MS, post);
  });

/** The kill of an instance that sends mails, and a mail server that is down, slow or refuses. */
export const MAIL_FAULTS: readonly Fault[] = [
  killed('mail', 'before it hands over a mail'),
  mailing('an instance is killed between DATA and 250', async ({ stage }, server, post) => {
    server.mode = 'hangs';
    const before = server.mails.length;
    await post();
    for (const end = now() + KILLED_MS; server.mails.length === before && now() < end;) await delay(10);
    const counts = await Promise.all(stage.instances.map(instance => instance.countSending()));
    await stage.instances[counts.findIndex(count => count > 0)]?.kill();
    await server.mend();
  }),
  killed('mailed', 'after 250, before the mail is marked as sent'),
];

/** Gives reasons for mails in one workspace. Each mail has an address of its own. */
class Sender {
  private readonly backend: Backend;
  private readonly expected: ExpectedMail[];
  private readonly invites: { id: string; mail: ExpectedMail }[] = [];
  private count = 0;

  constructor(
    private readonly scene: Scene,
    private readonly desk: FaultyDesk,
  ) {
    this.backend = new Backend(scene, desk);
    this.expected = scene.crowd.history.expectedMails;
  }

  /** Invites members and mails transcripts. */
  async post(): Promise<void> {
    const invite = async () => {
      const mail = this.address();
      const body = { email: mail.address, role: 'agent' };
      const { id } = await this.backend.must('POST', '/workspace/invites', body);
      this.invites.push({ id, mail });
      this.expected.push(mail);
    };
    await Promise.all(Array.from({ length: EACH }, () => [invite(), this.mailTranscript()]).flat());
  }

  /** Names another address in each attempt, because the route takes no Idempotency-Key. */
  private async mailTranscript(): Promise<void> {
    const { crowd, stage, random } = this.scene;
    const { mark, workspaceId, key, visitors } = this.desk;
    const path = `/v1/conversations/${visitors[0]?.conversationId}/transcript`;
    const draft = { kind: 'change' as const, actor: `${mark} backend`, workspaceId };
    for (let tries = 0; tries < TRANSCRIPTS; tries += 1) {
      const mail = this.address();
      const spec = { method: 'POST', path, token: key, body: { email: mail.address } };
      const { outcome } = await crowd.recordOperation(perform(crowd.http, pick(random, stage.instances), spec, draft));
      if (outcome === 'ok') return void this.expected.push(mail);
      await delay(RETRIED_MS);
    }
  }

  /** Answers a contact who has left, so that the answer follows by mail. */
  async followUp(): Promise<void> {
    const [channel] = this.desk.channels;
    await this.backend.must('PATCH', `/channels/${channel.id}`, { followup_email_minutes: 1 });
    const mail = this.address();
    const id = await this.backend.openConversation(channel, 'v8', { email: mail.address });
    await this.backend.answer(id, channel, 'v8');
    this.expected.push(mail);
  }

  /** Revokes the last invite after an attempt to send it, which fails because the mail server is down. */
  async revoke(): Promise<void> {
    const last = this.invites.at(-1);
    if (!last) throw new Error('there is no invite');
    const { database } = this.scene.stage;
    const wasAttempted = async (client: Client) => (await client.query(ATTEMPTED, [last.id])).rows.length > 0;
    await eventually(async () => (await database.with(wasAttempted)) || undefined, ATTEMPTED_MS);
    const { outcome, status } = await this.backend.request('DELETE', `/workspace/invites/${last.id}`);
    // A repeated request may find it revoked.
    if (outcome !== 'ok' && status !== 409) throw new Error(`the invite cannot be revoked: ${status}`);
    last.mail.goneAt = now();
  }

  private address(): ExpectedMail {
    this.count += 1;
    return { address: `mail${this.count}@${this.desk.mark}.example.com`, goneAt: null };
  }
}

/**
 * Moves the clocks ahead until all is sent or the service had enough time. Moves them again if an attempt was cut off
 * meanwhile, whose lease must end. Records what is left.
 */
async function sendLater(scene: Scene): Promise<void> {
  const { stage, crowd } = scene;
  for (let times = 1; ; times += 1) {
    const aheadMs = times * LATER_MS;
    await setClocks(scene, stage.instances, aheadMs);
    for (const end = now() + MAX_DUE_MS; ; await delay(50)) {
      const { at, timers } = await stage.database.with(client => readDatabase(client, crowd.workspaceIds, aheadMs));
      const left = timers.filter(({ kind }) => kind === 'mail' || kind === 'follow-up');
      if (left.length > 0 && now() < end) continue;
      crowd.history.timersLeft.push({ at, timers: left });
      if (left.length === 0 || times === 2) return;
      break;
    }
  }
}
