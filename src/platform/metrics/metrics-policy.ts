import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { InvalidToken, NotFound, Unauthenticated } from '../../kernel/errors.js';
import { sameSecret } from '../../kernel/secret.js';

/** Decides who reads `/metrics`: its figures tell how busy every workspace together is, which is nobody else's business. */
@Injectable()
export class MetricsPolicy {
  constructor(private readonly config: Config) {}

  /**
   * @param token what followed `Bearer`, or null
   * @throws NotFound in production without METRICS_TOKEN; Unauthenticated, InvalidToken where another token or none came
   */
  assertMayRead(token: string | null): void {
    const { metricsToken, production } = this.config;
    if (metricsToken === null && production) throw new NotFound();
    if (metricsToken === null) return;
    if (token === null) throw new Unauthenticated();
    if (!sameSecret(token, metricsToken)) throw new InvalidToken();
  }
}
