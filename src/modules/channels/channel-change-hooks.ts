import { Injectable } from '@nestjs/common';
import { TeardownHooks } from '../../kernel/teardown-hooks.js';
import type { Channel } from './channel.js';

export interface ChannelChange {
  from: Channel;
  to: Channel;
}

/** Hooks that run when a channel's settings changed, in the unit of work that changes them. */
@Injectable()
export class ChannelChangeHooks extends TeardownHooks<ChannelChange> {}
