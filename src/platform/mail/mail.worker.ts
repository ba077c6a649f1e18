import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { Config } from '../../config/config.js';
import { CipherService } from '../encryption/cipher.service.js';
import type { Backlog } from '../jobs/backlog.js';
import type { DueQuery } from '../jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../jobs/due.worker.js';
import { MailComposerRegistry } from './mail-composer.registry.js';
import type { ClaimedMail } from './mail-queue.repository.js';
import { MailQueueRepository } from './mail-queue.repository.js';
import type { Mail } from './mailer.js';
import { Mailer, MailRefused } from './mailer.js';

/** Context of the cipher for the data of queued mails. */
export const MAIL_DATA = 'mail data';

const MINUTE_MS = 60_000;
/**
 * Longer than the attempts of a batch take when the mail server hangs (`mailer.smtp.ts`). One that answers every command
 * just in time can outlast it: then a mail is sent twice, with one `Message-ID`.
 */
const LEASE_MS = 5 * MINUTE_MS;
/** Pause after each failed attempt; the last one is repeated. */
const PAUSES_MS = [1, 5, 15, 60, 180, 360].map(minutes => minutes * MINUTE_MS);
const GIVE_UP_MS = 3 * 24 * 60 * MINUTE_MS;
const MAX_ERROR = 500;

/** Sends queued mails: at least once, each attempt with the same `Message-ID`. Gives up after three days. */
@Injectable()
export class MailWorker extends DueWorker<ClaimedMail> {
  protected readonly name = 'mails';
  protected override readonly concurrency = 3;
  protected override readonly batchSize = 12;
  private readonly ended: Counter;

  constructor(
    dependencies: WorkerDependencies,
    registry: Registry,
    private readonly queue: MailQueueRepository,
    private readonly composers: MailComposerRegistry,
    private readonly mailer: Mailer,
    private readonly cipher: CipherService,
    private readonly config: Config,
  ) {
    super(dependencies);
    this.ended = new Counter({
      name: 'mails_total',
      help: 'Mails that were sent, cancelled because their reason was gone, or given up.',
      labelNames: ['kind', 'outcome'],
      registers: [registry],
    });
  }

  protected claim(query: DueQuery): Promise<ClaimedMail[]> {
    return this.queue.claim(query, new Date(query.now.getTime() + LEASE_MS));
  }

  protected async work(row: ClaimedMail): Promise<boolean> {
    const mail = await this.compose(row);
    if (!mail) await this.end(row, 'cancelled');
    else await this.attempt(row, mail);
    return true;
  }

  protected measure(now: Date): Promise<Backlog> {
    return this.queue.measure(now);
  }

  private compose({ id, kind, subjectId, ownWorkspaceId, data }: ClaimedMail): Promise<Mail | null> {
    const decrypted: unknown = data === null ? undefined : JSON.parse(this.cipher.decrypt(data, MAIL_DATA));
    return this.composers.get(kind).compose({ id, workspaceId: ownWorkspaceId, subjectId, data: decrypted });
  }

  private async attempt(row: ClaimedMail, mail: Mail): Promise<void> {
    try {
      await this.mailer.send({ ...mail, messageId: `${row.id}@${new URL(this.config.publicUrl).hostname}` });
    } catch (error) {
      return this.fail(row, mail, error);
    }
    await this.end(row, 'sent', { recipient: mail.to });
  }

  private async fail(row: ClaimedMail, { to }: Mail, error: unknown): Promise<void> {
    const text = String(error).slice(0, MAX_ERROR);
    const now = this.dependencies.clock.now().getTime();
    const pause = PAUSES_MS[Math.min(row.attempts, PAUSES_MS.length) - 1] ?? MINUTE_MS;
    if (error instanceof MailRefused || now + pause - row.createdAt.getTime() > GIVE_UP_MS) {
      this.logger.error(`a mail (${row.kind}) was given up after ${row.attempts} attempts: ${text}`);
      return this.end(row, 'failed', { recipient: to, error: text });
    }
    this.logger.warn(`a mail (${row.kind}) was not sent and is retried in ${pause / MINUTE_MS} min: ${text}`);
    await this.queue.retryAt(row, new Date(now + pause), to, text);
  }

  private async end(
    row: ClaimedMail,
    outcome: 'sent' | 'cancelled' | 'failed',
    details: { recipient?: string; error?: string } = {},
  ): Promise<void> {
    await this.queue.end(row, outcome, this.dependencies.clock.now(), details);
    this.ended.inc({ kind: row.kind, outcome });
  }
}
