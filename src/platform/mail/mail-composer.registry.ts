import { Injectable } from '@nestjs/common';
import type { Mail } from './mailer.js';

/** A mail that is about to be sent. */
export interface QueuedMail {
  id: string;
  workspaceId: string | null;
  subjectId: string;
  /** The data given to `MailQueueService.add`. */
  data: unknown;
}

/** Composes the mails of one kind when they are sent. */
export interface MailComposer {
  /** Stored with each mail, so it must never change. */
  readonly kind: string;
  /** @returns null if the reason of the mail is gone: an invite was revoked, a message was read */
  compose(queued: QueuedMail): Promise<Mail | null>;
}

/** Registry of the composers. Each module that sends mail registers one per kind when it starts. */
@Injectable()
export class MailComposerRegistry {
  private readonly composers = new Map<string, MailComposer>();

  add(composer: MailComposer): void {
    if (this.composers.has(composer.kind)) throw new Error(`mails of the kind ${composer.kind} have two composers`);
    this.composers.set(composer.kind, composer);
  }

  /** @throws Error if no module composes this kind */
  get(kind: string): MailComposer {
    const composer = this.composers.get(kind);
    if (!composer) throw new Error(`mails of the kind ${kind} have no composer`);
    return composer;
  }
}
