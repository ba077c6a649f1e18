import { Injectable } from '@nestjs/common';
import type { Principal } from '../../kernel/principal.js';
import { BotsService } from '../bots/index.js';
import type { SenderType } from '../conversations/index.js';
import { MembersService } from '../members/index.js';
import { SenderRequired, SenderUnknown } from './messages.errors.js';

export interface Sender {
  type: SenderType;
  id: string;
  /** null for contacts: the contact has the name. */
  name: string | null;
  /** null for contacts, like the name. */
  avatarUrl: string | null;
}

/** Resolves the sender of a message: the caller, or with an API key the named member or bot. */
@Injectable()
export class SendersService {
  constructor(
    private readonly members: MembersService,
    private readonly bots: BotsService,
  ) {}

  /** @throws SenderRequired, SenderUnknown */
  async resolveSender(
    principal: Principal,
    named: { member_id?: string | undefined; bot_id?: string | undefined },
  ): Promise<Sender> {
    switch (principal.kind) {
      case 'visitor':
        return { type: 'contact', id: principal.contactId, name: null, avatarUrl: null };
      case 'agent':
        return { type: 'agent', id: principal.memberId, name: principal.name, avatarUrl: principal.avatarUrl };
      case 'bot':
        return { type: 'bot', id: principal.botId, name: principal.name, avatarUrl: principal.avatarUrl };
      case 'system':
        return { type: 'bot', id: await this.bots.systemBotId(principal.workspaceId), name: null, avatarUrl: null };
      case 'api_key':
        if (named.member_id !== undefined) return this.member(principal, named.member_id);
        if (named.bot_id !== undefined) return this.bot(principal, named.bot_id);
        throw new SenderRequired();
    }
  }

  private async member(principal: Principal, id: string): Promise<Sender> {
    const member = await this.members.find(principal, id);
    if (member?.status !== 'active') throw new SenderUnknown();
    return { type: 'agent', id: member.id, name: member.name, avatarUrl: member.avatarUrl };
  }

  /** A disabled bot is in control of nothing, which the caller checks. */
  private async bot(principal: Principal, id: string): Promise<Sender> {
    const bot = await this.bots.find(principal, id);
    if (!bot) throw new SenderUnknown();
    return { type: 'bot', id: bot.id, name: bot.name, avatarUrl: bot.avatarUrl };
  }
}
