import type { WebSocket } from 'ws';
import { FakeService, ok, refuse, type Reply, type RecordedRequest } from '../sdk/fake-service.js';

export interface FakeMessage {
  id: string;
  conversation_id: string;
  seq: number;
  sender_type: string;
  content_type: string;
  content: unknown;
  private: boolean;
  metadata: Record<string, unknown>;
  attachments: object[];
}

export interface FakeConversation {
  id: string;
  status: string;
  assignee_id: string | null;
  tags: string[];
  csat: Record<string, unknown> | null;
}

export interface FakeNotification {
  id: string;
  type: string;
  conversation_id: string;
  message_id: string;
}

/** The only file, whatever was uploaded. */
const PHOTO = 'a photo';

/** Outcome of a message's delivery to the sockets. */
export type Fate = 'shown' | 'lost' | 'shown twice' | 'garbled';

/** An agent's member has the agent's token as its id. */
const NAMES: Record<string, string> = { sam: 'Sam Pine', ada: 'Ada Oak' };

/** A minimal in-memory service with a desk for dialogues, with configurable faults. */
export class FakeChat {
  readonly conversations = new Map<string, FakeConversation & { contact: string; messages: FakeMessage[] }>();
  /** Decides for the sockets that a message is meant for. */
  fate: (message: FakeMessage) => Fate = () => 'shown';
  /** Where visitors see private notes. */
  leak: 'nowhere' | 'history' | 'socket' = 'nowhere';
  /** Changes what is written to the timeline. */
  entry: (metadata: Record<string, unknown>) => Record<string, unknown> = metadata => metadata;
  /** History that a side reads. */
  remembered: (messages: FakeMessage[]) => FakeMessage[] = messages => messages;
  /** Conversation that an agent reads. */
  found: (conversation: FakeConversation) => FakeConversation = conversation => conversation;
  /** Status of opened files. */
  photoStatus = 200;
  notifiedBy = { socket: true, list: true };
  private readonly notifications: FakeNotification[] = [];
  private readonly agents = new Map<string, WebSocket>();
  private readonly visitors = new Map<string, WebSocket>();

  private constructor(readonly service: FakeService) {
    service.fallback = seen => this.route(seen);
    service.onSocket = (socket, { pathname, searchParams }) => {
      const sockets = pathname === '/ws/agent' ? this.agents : this.visitors;
      sockets.set(searchParams.get('token')!, socket);
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
    if (seen.path === '/v1/auth/me') return ok({ member: { id: seen.token, name: NAMES[seen.token!] } });
    if (seen.path === '/v1/notifications') return ok({ items: this.notifiedBy.list ? this.notifications : [] });
    if (seen.path === '/v1/widget/conversations') return this.begin(seen);
    if (seen.path === '/v1/widget/attachments') return ok(this.photo, 201);
    if (seen.path === '/files/photo') return { status: this.photoStatus, body: PHOTO };
    const conversation = this.conversations.get((visitor ? widgetId : id) ?? '');
    if (!conversation) return refuse(404, 'not_found');
    const route = `${seen.method} ${(visitor ? widgetAction : action) ?? ''}`.trim();
    return visitor ? this.visitorRoute(route, conversation.id, seen) : this.agentRoute(route, conversation.id, seen);
  }

  private visitorRoute(route: string, id: string, { body, query }: RecordedRequest): Reply {
    const conversation = this.conversations.get(id)!;
    switch (route) {
      case 'POST messages':
        if (conversation.status === 'snoozed')
          this.change(id, 'woken', { status: 'open' }, { reason: 'contact_wrote' });
        return ok(this.addMessage(id, this.contactMessage(body)), 201);
      case 'GET messages':
        return ok(this.page(this.visibleToVisitor(conversation.messages, 'history'), query));
      case 'POST rating':
        this.change(id, 'rated', { csat: body });
        return ok({});
      default:
        return refuse(404, 'not_found');
    }
  }

  private agentRoute(route: string, id: string, { body, query }: RecordedRequest): Reply {
    const conversation = this.conversations.get(id)!;
    switch (route) {
      case 'GET':
        return ok(this.found(conversation));
      case 'PATCH':
        return ok(Object.assign(conversation, body));
      case 'POST messages':
        return ok(this.addMessage(id, { ...body, sender_type: 'agent' }), 201);
      case 'GET messages':
        return ok(this.page(conversation.messages, query));
      case 'POST snooze':
        this.change(id, 'snoozed', { status: 'snoozed' });
        return ok({});
      case 'POST resolve':
        this.change(id, 'resolved', { status: 'resolved' });
        return ok({});
      default:
        return refuse(404, 'not_found');
    }
  }

  private get photo(): object {
    return { id: 'photo', size: PHOTO.length, width: 640, height: 480, url: `${this.service.baseUrl}/files/photo` };
  }

  private contactMessage({ content, attachment_ids }: Record<string, unknown>): Partial<FakeMessage> {
    return { sender_type: 'contact', content, attachments: attachment_ids ? [this.photo] : [] };
  }

  private begin({ body, token }: RecordedRequest): Reply {
    const id = `c${this.conversations.size + 1}`;
    const assignees = Object.keys(NAMES);
    const assignee_id = assignees[this.conversations.size % assignees.length]!;
    const rest = { assignee_id: null, tags: [], csat: null, messages: [] };
    this.conversations.set(id, { id, contact: token!, status: 'open', ...rest });
    const message = this.addMessage(id, this.contactMessage(body['message'] as Record<string, unknown>));
    this.change(id, 'assigned', { assignee_id }, { reason: 'round_robin' });
    return ok({ conversation: { id }, message }, 201);
  }

  private change(id: string, event: string, changes: Partial<FakeConversation>, details: object = {}): void {
    const conversation = Object.assign(this.conversations.get(id)!, changes);
    const metadata = this.entry({ event, assignee_id: conversation.assignee_id, ...details });
    const isPrivate = event !== 'resolved';
    this.addMessage(id, { sender_type: 'bot', content_type: 'event', content: null, metadata, private: isPrivate });
  }

  private addMessage(id: string, given: Partial<FakeMessage>): FakeMessage {
    const { messages } = this.conversations.get(id)!;
    const seq = messages.length + 1;
    const standard = {
      sender_type: '',
      content_type: 'text',
      content: '',
      private: false,
      metadata: {},
      attachments: [],
    };
    const message = { ...standard, ...given, id: `${id}-${seq}`, conversation_id: id, seq };
    messages.push(message);
    this.show(message);
    const { mentions = [] } = message.metadata as { mentions?: string[] };
    for (const memberId of mentions) this.notify(memberId, message);
    return message;
  }

  private show(message: FakeMessage): void {
    const fate = this.fate(message);
    const shown = fate === 'garbled' ? { ...message, content: '…' } : message;
    const visitor = this.visitors.get(this.conversations.get(message.conversation_id)!.contact)!;
    const isVisible = this.visibleToVisitor([message], 'socket').length > 0;
    const sockets = [...this.agents.values(), ...(isVisible ? [visitor] : [])];
    for (let time = fate === 'lost' ? 0 : fate === 'shown twice' ? 2 : 1; time > 0; time--) {
      const frame = { type: 'message.created', id: `e-${message.id}-${time}`, data: { message: shown } };
      for (const socket of sockets) socket.send(JSON.stringify(frame));
    }
  }

  private visibleToVisitor(messages: FakeMessage[], view: 'history' | 'socket'): FakeMessage[] {
    return messages.filter(one => !one.private || (one.content_type === 'text' && this.leak === view));
  }

  private notify(memberId: string, { id, conversation_id }: FakeMessage): void {
    const notification = { id: `n-${id}`, type: 'mentioned', conversation_id, message_id: id };
    this.notifications.push(notification);
    if (!this.notifiedBy.socket) return;
    const frame = { type: 'notification.created', data: { notification } };
    this.agents.get(memberId)!.send(JSON.stringify(frame));
  }

  private page(messages: FakeMessage[], query: Record<string, string>) {
    const after = Number(query['after_seq']);
    const items = this.remembered(messages)
      .filter(({ seq }) => seq > after)
      .slice(0, Number(query['limit']));
    return { items, next_cursor: null };
  }
}
