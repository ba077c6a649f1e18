import { Injectable } from '@nestjs/common';
import type { AttachmentRef } from './attachment.js';
import { AttachmentUrlsService } from './attachment-urls.service.js';

interface WithAttachments {
  attachments: readonly AttachmentRef[];
}

/** Adds URLs to the attachments of messages that are shown. Stored messages have none. */
@Injectable()
export class AttachmentViewsService {
  constructor(private readonly urls: AttachmentUrlsService) {}

  /** @param shown a message, an object with a `message`, or a page of either; others are returned as they are */
  render<T extends object>(shown: T): T {
    if (isMessage(shown)) return this.renderMessage(shown);
    const { message, items } = shown as { message?: unknown; items?: unknown };
    if (isMessage(message)) return withChange(shown, 'message', message, this.renderMessage(message));
    if (!Array.isArray(items)) return shown;
    const rendered = items.map((item: object) => this.render(item));
    return rendered.every((item, index) => item === items[index]) ? shown : { ...shown, items: rendered };
  }

  private renderMessage<T extends WithAttachments>(message: T): T {
    if (message.attachments.length === 0) return message;
    return { ...message, attachments: message.attachments.map(attachment => this.urls.toRecord(attachment)) };
  }
}

function isMessage(value: unknown): value is WithAttachments {
  return typeof value === 'object' && value !== null && Array.isArray((value as Partial<WithAttachments>).attachments);
}

/** Returns the object itself if rendering has changed nothing. */
function withChange<T extends object>(shown: T, name: string, before: unknown, after: unknown): T {
  return before === after ? shown : { ...shown, [name]: after };
}
