import { Injectable, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { isId } from '../../kernel/ids.js';
import type { SerializedFrame } from '../../kernel/serialized-frame.js';
import { Fanout } from '../../platform/fanout/fanout.js';
import { SocketHub } from '../../platform/sockets/socket-hub.js';
import type { OwnViewChange } from '../views/index.js';
import { OwnViewHooks } from '../views/index.js';
import { topics } from './topics.js';

const SUBJECT = 'own-views';

/** Sends changes of a member's own views to the sockets of that member, on every instance. No log keeps them. */
@Injectable()
export class OwnViewsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly hub: SocketHub,
    private readonly fanout: Fanout,
    private readonly hooks: OwnViewHooks,
  ) {}

  onApplicationBootstrap(): void {
    this.hooks.add(change => this.fanout.publish(SUBJECT, change));
    this.unsubscribe = this.fanout.subscribe(SUBJECT, isOwnViewChange, change => this.deliver(change));
  }

  onApplicationShutdown(): void {
    this.unsubscribe();
  }

  private deliver({ type, memberId, view }: OwnViewChange): void {
    const frame = JSON.stringify({ type, data: view }) as SerializedFrame;
    this.hub.broadcast([topics.member(memberId)], frame, { ephemeral: true });
  }
}

/** Checks a message from another process, which may run another version of the service. */
function isOwnViewChange(body: unknown): body is OwnViewChange {
  if (typeof body !== 'object' || body === null) return false;
  const { type, memberId, view } = body as Record<string, unknown>;
  return typeof type === 'string' && type.startsWith('view.') && isId(memberId) && typeof view === 'object';
}
