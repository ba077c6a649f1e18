import { Injectable, OnModuleInit } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { CipherService } from '../encryption/cipher.service.js';
import { ErasureStepRegistry, SUBJECT_KINDS } from '../erasure/erasure-step.registry.js';
import type { MailFailure } from './mail-failure.js';
import { MailQueueRepository } from './mail-queue.repository.js';
import { MAIL_DATA, MailWorker } from './mail.worker.js';
import { Mailer } from './mailer.js';

export interface NewMail {
  /** Null for a mail to a user that concerns no workspace. */
  workspaceId: string | null;
  /** Names the composer. */
  kind: string;
  /** The row that it is about. */
  subjectId: string;
  /** True by default: cancels an earlier mail of this kind about the same row that was not sent yet. */
  replacesEarlier?: boolean;
  /** JSON that the composer needs. Stored encrypted. */
  data?: unknown;
  /** Time of the first attempt; at once by default. */
  dueAt?: Date;
}

/** Mails to send. A mail is a row that commits with its reason, so a crash loses none. */
@Injectable()
export class MailQueueService implements OnModuleInit {
  constructor(
    private readonly queue: MailQueueRepository,
    private readonly worker: MailWorker,
    private readonly mailer: Mailer,
    private readonly cipher: CipherService,
    private readonly clock: Clock,
    private readonly erasureSteps: ErasureStepRegistry,
  ) {}

  onModuleInit(): void {
    this.erasureSteps.add({
      name: 'mails',
      kinds: SUBJECT_KINDS,
      scrub: ({ workspaceId, id }, _after, limit) => this.queue.scrubSlice(workspaceId, id, limit),
    });
  }

  /** False when there is no mail server, and mails are only logged. */
  get delivers(): boolean {
    return this.mailer.delivers;
  }

  /** Adds a mail in the current unit of work. It is sent after the commit, at least once. */
  async add({ workspaceId, kind, subjectId, replacesEarlier = true, data, dueAt }: NewMail): Promise<void> {
    const now = this.clock.now();
    if (replacesEarlier) await this.queue.cancel(kind, subjectId, now);
    const encrypted = data === undefined ? null : this.cipher.encrypt(JSON.stringify(data), MAIL_DATA);
    const row = { id: newId(), workspaceId, kind, subjectId, data: encrypted, dueAt: dueAt ?? now };
    await this.queue.insert(row, now);
    if (dueAt === undefined) this.worker.wakeAfterCommit();
  }

  /** Mails that were given up, newest first. @throws CursorInvalid */
  listFailures(workspaceId: string, page: PageRequest): Promise<Page<MailFailure>> {
    return this.queue.findFailures(workspaceId, page);
  }
}
