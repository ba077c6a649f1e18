import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { NamedSecret } from '../../config/config.js';
import { Config } from '../../config/config.js';

const ALGORITHM = 'aes-256-gcm';

/**
 * Encrypts what must be read again: AES-256-GCM under a key derived from ENCRYPTION_KEYS. The text names its key, so
 * that keys rotate: the first encrypts, all decrypt.
 */
@Injectable()
export class Cipher {
  constructor(private readonly config: Config) {}

  /** The name of the key that encrypts now, with which what it encrypts begins. */
  get newestKeyId(): string {
    return this.newest.id;
  }

  /** @param context what the secret is for; the same is needed to read it, so one kind never passes for another */
  encrypt(plain: string, context: string): string {
    const { newest } = this;
    const iv = randomBytes(12);
    const cipher = createCipheriv(ALGORITHM, derive(newest.secret, context), iv);
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return [newest.id, ...[iv, cipher.getAuthTag(), sealed].map(part => part.toString('base64url'))].join('.');
  }

  /** @throws Error when the text was changed, was meant for another context, or its key is no longer configured */
  decrypt(text: string, context: string): string {
    const [id, iv = '', tag = '', sealed = ''] = text.split('.');
    const key = this.config.encryptionKeys.find(candidate => candidate.id === id);
    if (!key) throw new Error(`no encryption key named ${id ?? ''} is configured: it has been taken out too early`);
    const decipher = createDecipheriv(ALGORITHM, derive(key.secret, context), Buffer.from(iv, 'base64url'));
    decipher.setAuthTag(Buffer.from(tag, 'base64url'));
    return Buffer.concat([decipher.update(Buffer.from(sealed, 'base64url')), decipher.final()]).toString('utf8');
  }

  private get newest(): NamedSecret {
    const [newest] = this.config.encryptionKeys;
    if (!newest) throw new Error('no encryption key');
    return newest;
  }
}

function derive(secret: string, context: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', context, 32));
}
