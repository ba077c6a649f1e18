import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { NamedSecret } from '../../config/config.js';
import { Config } from '../../config/config.js';

const ALGORITHM = 'aes-256-gcm';

/**
 * Encrypts secrets that the service must read again, with AES-256-GCM and keys derived from ENCRYPTION_KEYS. The first
 * key encrypts and all keys decrypt; each ciphertext starts with the id of its key, so keys can be rotated.
 */
@Injectable()
export class CipherService {
  constructor(private readonly config: Config) {}

  /** Id of the key that encrypts now. Its ciphertexts start with this id. */
  get newestKeyId(): string {
    return this.newest.id;
  }

  /** @param context purpose of the secret; `decrypt` needs the same, so a secret of one kind cannot replace another */
  encrypt(plain: string, context: string): string {
    const { newest } = this;
    const iv = randomBytes(12);
    const cipher = createCipheriv(ALGORITHM, derive(newest.secret, context), iv);
    const ciphertext = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return [newest.id, ...[iv, cipher.getAuthTag(), ciphertext].map(bytes => bytes.toString('base64url'))].join('.');
  }

  /** @throws Error when the text was changed, has another context, or its key is not configured */
  decrypt(text: string, context: string): string {
    const [id, iv = '', tag = '', ciphertext = ''] = text.split('.');
    const key = this.config.encryptionKeys.find(candidate => candidate.id === id);
    if (!key) throw new Error(`no encryption key named ${id ?? ''} is configured; put the removed key back`);
    const decipher = createDecipheriv(ALGORITHM, derive(key.secret, context), Buffer.from(iv, 'base64url'));
    decipher.setAuthTag(Buffer.from(tag, 'base64url'));
    return Buffer.concat([decipher.update(Buffer.from(ciphertext, 'base64url')), decipher.final()]).toString('utf8');
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
