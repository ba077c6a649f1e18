import { ensureWidgetBuilt } from '../../support/built-clients.js';
import { Fleet } from '../../support/fleet.js';
import { stoppedAtEnd } from '../../support/jest/leftovers.js';
import { openDesk } from '../../support/outside.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import type { AgentSide } from './company.js';

/** Two built instances behind nginx. Browsers reach it through a network that can be cut and healed; agents do not. */
export class BalancedService {
  readonly stop = stoppedAtEnd(() => this.shutDown());

  private constructor(
    readonly fleet: Fleet,
    /** Between all browsers and nginx. */
    readonly network: TcpProxy,
  ) {}

  static async start(): Promise<BalancedService> {
    ensureWidgetBuilt();
    const fleet = await Fleet.start();
    return new BalancedService(fleet, await TcpProxy.start(fleet.url));
  }

  /** Address for browsers. */
  get url(): string {
    return new URL(this.network.rewriteUrl(this.fleet.url)).origin;
  }

  get agentSide(): AgentSide {
    const { url } = this.fleet;
    return { url, openDesk: () => openDesk(url) };
  }

  private async shutDown(): Promise<void> {
    await this.network.stop();
    await this.fleet.stop();
  }
}
