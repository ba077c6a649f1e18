import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { InvalidToken, NotFound, Unauthenticated } from '../../kernel/errors.js';
import { sameSecret } from '../../kernel/secret.js';

/** Decides who may read `/metrics`, which shows the load of all workspaces together. */
@Injectable()
export class MetricsPolicy {
  constructor(private readonly config: Config) {}

  /**
   * @param token the bearer token of the request, or null
   * @throws NotFound in production without METRICS_TOKEN; Unauthenticated without a token; InvalidToken with a wrong
   *   one
   */
  assertMayRead(token: string | null): void {
    const { metricsToken, production } = this.config;
    if (metricsToken === null && production) throw new NotFound();
    if (metricsToken === null) return;
    if (token === null) throw new Unauthenticated();
    if (!sameSecret(token, metricsToken)) throw new InvalidToken();
  }
}
