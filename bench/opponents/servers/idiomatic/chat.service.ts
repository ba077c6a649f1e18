import { Injectable, NotFoundException } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ChatGateway } from './chat.gateway.js';
import { Conversation, Message } from './entities.js';
import type { User } from './jwt.strategy.js';

@Injectable()
export class ChatService {
  constructor(
    private readonly source: DataSource,
    private readonly gateway: ChatGateway,
  ) {}

  async send(id: string, user: User, content: string): Promise<object> {
    const saved = await this.source.transaction(async manager => {
      const conversation = await manager.findOne(Conversation, { where: { id }, lock: { mode: 'pessimistic_write' } });
      if (!conversation) throw new NotFoundException();
      conversation.lastSeq = String(Number(conversation.lastSeq) + 1);
      conversation.lastActivityAt = new Date();
      await manager.save(conversation);
      const { lastSeq: seq } = conversation;
      return manager.save(
        manager.create(Message, { conversation, seq, senderType: 'agent', senderId: user.id, content }),
      );
    });
    const message = {
      id: saved.id,
      conversation_id: id,
      seq: Number(saved.seq),
      sender_type: saved.senderType,
      sender_id: saved.senderId,
      content: saved.content,
      created_at: saved.createdAt,
    };
    this.gateway.publish(id, message);
    return message;
  }
}
