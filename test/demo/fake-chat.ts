import type { WebSocket } from 'ws';
import { FakeService, ok, refuse, type Reply, type RecordedRequest } from '../sdk/fake-service.js';

export interface FakeMessage {
  id: string;
  conversation_id: string;
  seq: number;
  sender_type: string;
  content_type: string;
  content: unknown;
}

/** Outcome of a message's delivery to the other side. */
type Fate = 'shown' | 'lost' | 'shown twice' | 'garbled';

/** A minimal in-memory service for dialogues, with configurable faults. */
export class FakeChat {
  readonly conversations = new Map<string, { contact: string; messages: FakeMessage[] }>();
  fate: (message: FakeMessage) => Fate = () => 'shown';
  /** History that a side reads. */
  remembered: (messages: FakeMessage[]) => FakeMessage[] = messages => messages;
  private readonly agents: WebSocket[] = [];
  private readonly visitors = new Map<string, WebSocket>();

  private constructor(readonly service: FakeService) {
    service.fallback = seen => this.route(seen);
    service.onSocket = (socket, { pathname, searchParams }) => {
      if (pathname === '/ws/agent') this.agents.push(socket);
      else this.visitors.set(searchParams.get('token')!, socket);
    };
  }

  static async start(): Promise<FakeChat> {
    return new FakeChat(await FakeService.start());
  }

  private route(seen: RecordedRequest): Reply {
    const [, , first, id, action] = seen.path.split('/');
    const [, , , , widgetId, widgetAction] = seen.path.split('/');
    const visitor = first === 'widget';
    if (seen.path === '/v1/widget/session') return ok({ visitor_token: seen.body['external_id'] });
    if (seen.path === '/v1/auth/me') return ok({ member: { name: 'Sam Pine' } });
    if (seen.path === '/v1/widget/conversations') return this.begin(seen);
    const conversation = this.conversations.get((visitor ? widgetId : id) ?? '');
    if (!conversation) return refuse(404, 'not_found');
    switch (`${seen.method} ${visitor ? widgetAction : action}`) {
      case 'POST messages':
        return ok(this.addMessage(conversation, visitor ? 'contact' : 'agent', seen.body['content']), 201);
      case 'GET messages':
        return ok({ items: this.page(conversation.messages, seen.query), next_cursor: null });
      case 'POST take':
      case 'POST resolve':
        this.addMessage(conversation, 'bot', action, 'event');
        return ok({});
      default:
        return refuse(404, 'not_found');
    }
  }

  private begin({ body, token }: RecordedRequest): Reply {
    const conversation = { id: `c${this.conversations.size + 1}`, contact: token!, messages: [] };
    this.conversations.set(conversation.id, conversation);
    const message = this.addMessage(conversation, 'contact', (body['message'] as { content: string }).content);
    return ok({ conversation: { id: conversation.id }, message }, 201);
  }

  private addMessage(
    conversation: { contact: string; messages: FakeMessage[] },
    sender: string,
    content: unknown,
    contentType = 'text',
  ): FakeMessage {
    const [id] = [...this.conversations].find(([, known]) => known.contact === conversation.contact)!;
    const seq = conversation.messages.length + 1;
    const message = {
      id: `${id}-${seq}`,
      conversation_id: id,
      seq,
      sender_type: sender,
      content_type: contentType,
      content,
    };
    conversation.messages.push(message);
    this.show(message, [...this.agents, this.visitors.get(conversation.contact)!]);
    return message;
  }

  private show(message: FakeMessage, sockets: WebSocket[]): void {
    const fate = this.fate(message);
    const shown = fate === 'garbled' ? { ...message, content: '…' } : message;
    for (let time = fate === 'lost' ? 0 : fate === 'shown twice' ? 2 : 1; time > 0; time--) {
      const frame = { type: 'message.created', id: `e-${message.id}-${time}`, data: { message: shown } };
      for (const socket of sockets) socket.send(JSON.stringify(frame));
    }
  }

  private page(messages: FakeMessage[], query: Record<string, string>): FakeMessage[] {
    const after = Number(query['after_seq']);
    return this.remembered(messages)
      .filter(({ seq }) => seq > after)
      .slice(0, Number(query['limit']));
  }
}
