import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock, toWireTime } from '../../kernel/clock.js';
import type { AttachmentRef } from './attachment.js';

export const VARIANTS = ['file', 'thumbnail'] as const;
export type Variant = (typeof VARIANTS)[number];

/** An attachment as clients see it, with URLs that hold for an hour. */
export interface AttachmentRecord {
  id: string;
  name: string;
  content_type: string;
  size: number;
  url: string;
  expires_at: string;
  width?: number;
  height?: number;
  thumbnail_url?: string;
}

/** The query of a file's URL. */
export interface Signature {
  expires: string;
  variant: string;
  signature: string;
}

const VALID_SECONDS = 3_600;
const SIGNATURE_BYTES = 24;

/**
 * Signs the URLs of files when they are shown. A signature proves that somebody was shown the URL within the hour; the
 * download asks the row whether the file may still be read.
 */
@Injectable()
export class AttachmentUrlsService {
  /** The first signs, all verify. */
  private readonly keys: readonly Buffer[];

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    this.keys = config.encryptionKeys.map(({ secret }) => Buffer.from(hkdfSync('sha256', secret, '', 'file urls', 32)));
  }

  toRecord(attachment: AttachmentRef): AttachmentRecord {
    const { id, name, content_type, size, width, height, has_thumbnail: hasThumbnail } = attachment;
    const expires = Math.floor(this.clock.now().getTime() / 1_000) + VALID_SECONDS;
    return {
      id,
      name,
      content_type,
      size,
      url: this.urlOf(attachment, 'file', expires),
      expires_at: toWireTime(new Date(expires * 1_000)),
      ...(width !== null && height !== null ? { width, height } : {}),
      ...(hasThumbnail ? { thumbnail_url: this.urlOf(attachment, 'thumbnail', expires) } : {}),
    };
  }

  /** True if this service signed the URL and it has not expired. */
  verify(id: string, { expires, variant, signature }: Signature): boolean {
    if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1_000 < this.clock.now().getTime()) return false;
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== SIGNATURE_BYTES) return false;
    return this.keys.some(key => timingSafeEqual(given, sign(key, id, variant, expires)));
  }

  private urlOf({ id, name }: AttachmentRef, variant: Variant, expires: number): string {
    const [key] = this.keys;
    if (!key) throw new Error('no encryption key');
    const signature = sign(key, id, variant, String(expires)).toString('base64url');
    const query = `expires=${expires}&variant=${variant}&signature=${signature}`;
    return `${this.config.publicUrl}/files/${id}/${encodeURIComponent(name)}?${query}`;
  }
}

function sign(key: Buffer, id: string, variant: string, expires: string): Buffer {
  return createHmac('sha256', key).update(`${id}\n${variant}\n${expires}`).digest().subarray(0, SIGNATURE_BYTES);
}
