import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { CipherService } from '../../platform/encryption/cipher.service.js';
import { newSigningSecret } from '../../platform/outbound/signing-secret.js';
import { SECRET_CONTEXT } from './webhook-secrets.repository.js';
import type { Webhook } from './webhook.js';

/** How long the old secret signs beside the new one. */
const OVERLAP_MS = 24 * 3_600_000;

type Secrets = Pick<Webhook, 'secret' | 'previousSecret' | 'previousSecretUntil'>;

/** Makes, rotates and reads the secrets that sign deliveries. */
@Injectable()
export class WebhookSecretsService {
  constructor(
    private readonly cipher: CipherService,
    private readonly clock: Clock,
  ) {}

  /** Gives the webhook a new secret. The present one signs for 24 hours more. @returns it in plain text */
  rotate(webhook: Secrets): string {
    const secret = newSigningSecret();
    webhook.previousSecret = webhook.secret;
    webhook.previousSecretUntil = new Date(this.clock.now().getTime() + OVERLAP_MS);
    webhook.secret = this.cipher.encrypt(secret, SECRET_CONTEXT);
    return secret;
  }

  /** The secrets that sign now in plain text, newest first. */
  list({ secret, previousSecret, previousSecretUntil }: Secrets): string[] {
    const isOverlap = previousSecretUntil !== null && previousSecretUntil > this.clock.now();
    const signing = [secret, isOverlap ? previousSecret : null].filter(text => text !== null);
    return signing.map(text => this.cipher.decrypt(text, SECRET_CONTEXT));
  }
}
