import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Clock } from '../../kernel/clock.js';
import type { Channel } from '../channels/index.js';
import { ChannelsService } from '../channels/index.js';
import { IdentityInvalid, IdentityRequired } from './widget.errors.js';

const MAX_LIFETIME_SECONDS = 24 * 3600;

/** Verifies a site's proof of its visitor's identity. */
@Injectable()
export class IdentityService {
  constructor(
    private readonly jwt: JwtService,
    private readonly channels: ChannelsService,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns whether the external id is proven
   * @throws IdentityRequired @throws IdentityInvalid for a wrong proof, in every mode but `off`
   */
  isProven(channel: Channel, externalId: string | undefined, token: string | undefined): boolean {
    if (channel.identityVerification === 'off') return false;
    if (token === undefined || externalId === undefined) {
      if (channel.identityVerification === 'required') throw new IdentityRequired();
      if (token === undefined) return false;
      throw new IdentityInvalid();
    }
    this.verify(channel, externalId, token);
    return true;
  }

  private verify(channel: Channel, externalId: string, token: string): void {
    const now = Math.floor(this.clock.now().getTime() / 1000);
    // outside `try`: a secret that cannot be decrypted is a server error, not an invalid token
    const secret = this.channels.identitySecretOf(channel);
    let claims: { sub?: unknown; exp?: unknown };
    try {
      claims = this.jwt.verify(token, { secret, algorithms: ['HS256'], ignoreExpiration: true });
    } catch (error) {
      throw new IdentityInvalid({ cause: error });
    }
    const { sub, exp } = claims;
    const timely = typeof exp === 'number' && exp > now && exp <= now + MAX_LIFETIME_SECONDS;
    if (sub !== externalId || !timely) throw new IdentityInvalid();
  }
}
