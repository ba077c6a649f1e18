import { Injectable, OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { newId } from '../../kernel/ids.js';
import { systemOf } from '../../kernel/principal.js';
import type { QueuedMail } from '../../platform/mail/mail-composer.registry.js';
import { MailComposerRegistry } from '../../platform/mail/mail-composer.registry.js';
import type { MailPart } from '../../platform/mail/mail-layout.js';
import { renderMail } from '../../platform/mail/mail-layout.js';
import { MailQueueService } from '../../platform/mail/mail-queue.service.js';
import { headerText, inertName } from '../../platform/mail/mail-text.js';
import type { Mail } from '../../platform/mail/mailer.js';
import { MembersService } from '../members/index.js';
import { WorkspacesService } from '../workspaces/index.js';
import type { MailedNotification } from './mailed-notifications.repository.js';
import { MailedNotificationsRepository } from './mailed-notifications.repository.js';

const KIND = 'notifications';
/** Notifications that a mail names; it counts the others. */
const MAX_NAMED = 20;

interface Data {
  memberId: string;
  ids: string[];
}

/** Mails notifications: names, numbers and links, never what somebody wrote. */
@Injectable()
export class NotificationMailService implements OnModuleInit {
  constructor(
    private readonly notifications: MailedNotificationsRepository,
    private readonly members: MembersService,
    private readonly workspaces: WorkspacesService,
    private readonly mails: MailQueueService,
    private readonly composers: MailComposerRegistry,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.composers.add({ kind: KIND, compose: queued => this.compose(queued) });
  }

  /** Adds a mail in the current unit of work. */
  async add(workspaceId: string, memberId: string, ids: readonly string[]): Promise<void> {
    const data: Data = { memberId, ids: [...ids] };
    // an id of its own, because a later mail must not cancel one that waits for the mail server
    await this.mails.add({ workspaceId, kind: KIND, subjectId: newId(), data });
  }

  /** @returns null if all were read, unsent, erased or left the member's scope meanwhile */
  private async compose({ workspaceId, data }: QueuedMail): Promise<Mail | null> {
    if (workspaceId === null) return null;
    const { memberId, ids } = data as Data;
    const member = await this.members.find(systemOf(workspaceId), memberId);
    if (member?.status !== 'active') return null;
    const unread = await this.notifications.findUnread(member, ids);
    if (unread.length === 0) return null;
    const workspace = await this.workspaces.find(workspaceId);
    const desk = inertName(workspace?.name ?? '') || 'your support desk';
    const subject = `${counted(unread.length)} at ${desk}`;
    const body = renderMail(subject, [
      { kind: 'text', text: `Hello ${inertName(member.name)},` },
      ...unread.slice(0, MAX_NAMED).flatMap(notification => this.partsOf(notification)),
      ...more(unread.length - MAX_NAMED),
      { kind: 'small', text: 'You can turn these mails off in the notification settings of your profile.' },
    ]);
    return { to: member.email, subject: headerText(subject), ...body };
  }

  private partsOf({ type, actorName, number, conversationId }: MailedNotification): MailPart[] {
    const name = inertName(actorName ?? '');
    const sentences = {
      assigned: `${name || 'The service'} assigned conversation #${number} to you.`,
      mentioned: `${name || 'Somebody'} mentioned you in conversation #${number}.`,
      replied: `${name || 'The contact'} replied in conversation #${number}.`,
    };
    return [
      { kind: 'text', text: sentences[type] },
      { kind: 'link', label: `Open #${number}`, url: `${this.config.dashboardUrl}#conversation=${conversationId}` },
    ];
  }
}

function counted(count: number): string {
  return count === 1 ? '1 unread notification' : `${count} unread notifications`;
}

function more(count: number): MailPart[] {
  return count > 0 ? [{ kind: 'text', text: `And ${count} more.` }] : [];
}
