import type {
  MessageView,
  VisitorContactView,
  VisitorConversationView,
  VisitorMessageBody,
  WidgetSessionView,
} from '@support-chat/sdk';
import type { PreviewScene } from './preview-message.js';

const CONTACT: VisitorContactView = { id: 'visitor', name: null, email: null, phone: null, verified: false };
const CONVERSATION_ID = 'conversation';
const ASKED_MS = 180_000;
const ANSWERED_MS = 60_000;

/**
 * Answers the widget's requests within the page, so that a preview makes no contact and no conversation. A message that
 * is written in the preview stays there.
 */
export class SampleService {
  private readonly messages: MessageView[] = [];

  constructor(private readonly scene: PreviewScene) {
    if (scene.screen !== 'chat') return;
    this.add('contact', scene.question, ASKED_MS);
    this.add('agent', scene.answer, ANSWERED_MS);
  }

  /** @param path without the query */
  answer(method: string, path: string, body: unknown): Response {
    const data = this.dataOf(`${method} ${path.replace(/^.*\/v1\/widget/, '')}`, body);
    if (data !== undefined) return Response.json({ ok: true, data });
    const error = { code: 'not_found', message: 'The preview does not have this.' };
    return Response.json({ ok: false, error }, { status: 404 });
  }

  private dataOf(route: string, body: unknown): unknown {
    const { config } = this.scene;
    const path = `/conversations/${CONVERSATION_ID}`;
    switch (route) {
      case 'GET /config':
        return { channel_name: config.title, widget_config: config };
      case 'POST /session':
        return this.session;
      case 'GET /contact':
      case 'PATCH /contact':
        return CONTACT;
      case 'GET /conversations':
        return { items: this.messages.length > 0 ? [this.conversation] : [], next_cursor: null };
      case 'POST /conversations':
        return this.start((body as { message: VisitorMessageBody }).message);
      case `GET ${path}/messages`:
        return { items: this.messages, next_cursor: null };
      case `POST ${path}/messages`:
        return this.send(body as VisitorMessageBody);
      case `GET ${path}`:
      case `POST ${path}/read`:
        return this.conversation;
      default:
        return undefined;
    }
  }

  private get session(): WidgetSessionView {
    const { config } = this.scene;
    return {
      visitor_token: 'preview',
      expires_in: 86_400,
      contact_id: CONTACT.id,
      channel_name: config.title,
      widget_config: config,
      contact: CONTACT,
    };
  }

  private get conversation(): VisitorConversationView {
    const last = this.messages.at(-1);
    return {
      id: CONVERSATION_ID,
      number: 1,
      status: 'open',
      assignee: null,
      last_message: last
        ? { id: last.id, preview: last.content ?? '', sender_type: last.sender_type, created_at: last.created_at }
        : null,
      last_seq: this.messages.length,
      unread: { agents: 0, contact: 0 },
      csat: null,
      created_at: this.messages[0]?.created_at ?? new Date().toISOString(),
    };
  }

  private start(message: VisitorMessageBody) {
    return { conversation: this.conversation, message: this.send(message) };
  }

  private send({ content, client_message_id: id }: VisitorMessageBody): MessageView {
    return this.add('contact', content ?? '', 0, id);
  }

  private add(sender: 'contact' | 'agent', content: string, agoMs: number, clientId?: string): MessageView {
    const { scene, messages } = this;
    const message: MessageView = {
      id: `message-${messages.length + 1}`,
      conversation_id: CONVERSATION_ID,
      workspace_id: 'workspace',
      seq: messages.length + 1,
      sender_type: sender,
      sender_id: sender,
      sender_name: sender === 'agent' ? scene.agentName : null,
      sender_avatar_url: null,
      content_type: 'text',
      content,
      attachments: [],
      metadata: {},
      client_message_id: clientId ?? null,
      private: false,
      reply_to_id: null,
      created_at: new Date(Date.now() - agoMs).toISOString(),
      edited_at: null,
      deleted_at: null,
    };
    messages.push(message);
    return message;
  }
}
