import type { StoredVisitorSession } from '@support-chat/sdk';
import type { Identity } from '../api.js';
import type { SafeStorage } from '../loader/storage.js';

/** The browser's memory of a visitor of one channel: session, outbox, drafts, and the conversation that was open. */
export class VisitorStorage {
  /** Nothing is stored any more, because the widget was shut down. */
  hasEnded = false;
  private readonly prefix: string;

  constructor(
    private readonly storage: SafeStorage,
    widgetToken: string,
  ) {
    this.prefix = `support-chat:${widgetToken}:`;
  }

  /** The visitor has had a session, so there may be a conversation. */
  get isReturning(): boolean {
    return this.get('session') !== null;
  }

  get session(): StoredVisitorSession | undefined {
    try {
      const session = JSON.parse(this.get('session') ?? '') as Partial<StoredVisitorSession>;
      return session.token && session.externalId ? (session as StoredVisitorSession) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The conversation that was open belongs to the session's contact, and is forgotten with it. */
  storeSession(session: StoredVisitorSession): void {
    if (this.session && this.session.contactId !== session.contactId) this.set('view', null);
    this.set('session', JSON.stringify(session));
  }

  get(name: string): string | null {
    return this.storage.get(this.prefix + name);
  }

  /** @param value null removes it */
  set(name: string, value: string | null): void {
    if (!this.hasEnded) this.storage.set(this.prefix + name, value);
  }

  /** Full name of a key, for locks and for modules that store under it. */
  key(name: string): string {
    return this.prefix + name;
  }

  /**
   * Another person than before finds nothing of the former one: browsers are shared. A visitor without a name who signs
   * in keeps what was not sent.
   * @returns true if the person has changed
   */
  adopt({ externalId }: Identity): boolean {
    const former = this.get('person');
    if (!externalId || former === externalId) return false;
    if (former) this.clear();
    this.set('person', externalId);
    this.set('view', null);
    return true;
  }

  clear(): void {
    for (const key of this.storage.keys()) if (key.startsWith(this.prefix)) this.storage.set(key, null);
  }
}
