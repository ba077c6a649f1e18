import { signal, type ReadonlySignal } from '@preact/signals';
import { AgentClient, enterFromPage, type MeView, type TokenStore } from '@support-chat/sdk';
import type { Snapshot, SnapshotStorage } from '../snapshot/snapshot-storage.js';
import type { EntranceState, SignInReason } from './entrance-state.js';
import { pageWithTicket, type SecretLink } from './secret-link.js';
import { watchedFetch } from './watched-fetch.js';

export interface EntranceOptions {
  /** Address of the service. */
  baseUrl: string;
  /** Shared by all tabs of the browser. */
  store: TokenStore;
  /** Shared by all tabs too. */
  snapshots: SnapshotStorage;
}

/** A browser whose storage takes longer has no snapshot. */
const SNAPSHOT_MS = 1_000;

/**
 * Signs members in and out, and decides which screen is shown. Each sign-in has a client of its own: a client that was
 * replaced reports nothing any more.
 */
export class Entrance {
  private readonly current = signal<EntranceState>({ screen: 'loading' });
  private client: AgentClient;
  private entering: Promise<void> | undefined;
  /** Settled once the snapshot is shown, or there is none. */
  private showing: Promise<void> | undefined;
  /** Shown if the session ends next. */
  private reason: SignInReason | undefined;
  private isLeaving = false;

  constructor(private readonly options: EntranceOptions) {
    this.client = this.createClient();
  }

  get state(): ReadonlySignal<EntranceState> {
    return this.current;
  }

  /** For calls without a session: sign-in, invites, passwords. */
  get agent(): AgentClient {
    return this.client;
  }

  /** Opens a link, or continues the stored session. Links win, because a person has just opened them. */
  async open(link?: SecretLink): Promise<void> {
    if (link?.kind === 'ticket') return this.useTicket(link);
    if (link) this.current.value = { screen: link.kind, token: link.value };
    else await this.resume();
  }

  /** Continues the session of this browser, or asks to sign in. */
  async resume(reason?: SignInReason): Promise<void> {
    this.client = this.createClient();
    this.reason = reason;
    if (!this.client.tokens) this.askToSignIn(reason);
    else {
      this.current.value = { screen: 'loading' };
      this.showing = this.showSnapshot();
      await Promise.all([this.showing, this.enter()]);
    }
  }

  /** Exchanges a ticket. After a failure of the network the same link can be tried again. */
  async useTicket(link: SecretLink): Promise<void> {
    this.current.value = { screen: 'loading' };
    try {
      await enterFromPage(this.client, pageWithTicket(link.value));
    } catch (error) {
      this.current.value = { screen: 'ticket', link, error };
      return;
    }
    await this.enterAnew();
  }

  /**
   * Signs in by a call of `agent`, and shows the dashboard.
   * @throws ApiError of the call; the screen stays
   */
  async signIn(call: (agent: AgentClient) => Promise<unknown>): Promise<void> {
    await call(this.client);
    await this.enterAnew();
  }

  /** Loads the signed-in member. Concurrent calls share one request. */
  enter(): Promise<void> {
    this.entering ??= this.loadMember().finally(() => (this.entering = undefined));
    return this.entering;
  }

  /** Enters with another session than the browser had before. */
  private enterAnew(): Promise<void> {
    void this.options.snapshots.clear();
    return this.enter();
  }

  private async loadMember(): Promise<void> {
    const { client } = this;
    try {
      const me = await client.me();
      if (client === this.client && client.tokens) this.showMember(me);
    } catch (error) {
      await this.showing;
      // a refused session has ended meanwhile, with a new client; what a snapshot shows stays
      if (client !== this.client || this.current.value.screen === 'signed-in') return;
      this.current.value = { screen: 'unreachable', error };
    }
  }

  /** Shows what is stored of the session, if the service has not answered until then. */
  private async showSnapshot(): Promise<void> {
    const { client } = this;
    const { sessionId } = client;
    if (sessionId === undefined) return;
    const timeout = new Promise<undefined>(resolve => setTimeout(() => resolve(undefined), SNAPSHOT_MS));
    const snapshot = await Promise.race([this.options.snapshots.read(sessionId), timeout]);
    if (!snapshot || client !== this.client || this.current.value.screen !== 'loading') return;
    this.showMember(snapshot.me, snapshot);
  }

  private showMember(me: MeView, snapshot?: Snapshot): void {
    this.reason = undefined;
    const session = {
      agent: this.client,
      me,
      snapshot,
      snapshots: this.options.snapshots,
      reload: () => this.reload(),
      confirm: () => this.enter(),
      signOut: () => this.signOut(),
      switchWorkspace: (id: string) => this.switchWorkspace(id),
    };
    this.current.value = { screen: 'signed-in', session };
  }

  /** Keeps what is shown if the service does not answer. */
  private async reload(): Promise<void> {
    await this.entering;
    if (this.current.value.screen === 'signed-in') await this.enter();
  }

  private signOut(): void {
    this.isLeaving = true;
    // the tokens are gone when this returns; without the network the service forgets the session later
    void this.client.logout().catch(() => undefined);
    this.isLeaving = false;
  }

  private async switchWorkspace(id: string): Promise<void> {
    const { tokens } = await this.client.switchWorkspace(id);
    if (!tokens) return;
    this.client = this.createClient();
    this.client.restore(tokens);
    await this.enterAnew();
  }

  private createClient(): AgentClient {
    const client: AgentClient = new AgentClient({
      baseUrl: this.options.baseUrl,
      tokenStore: this.options.store,
      fetch: watchedFetch(token => this.onRefused(client, token)),
      onTokens: tokens => {
        if (client === this.client) this.onTokens(tokens !== null);
      },
    });
    return client;
  }

  /** New tokens at the sign-in screen come from another tab. All others are renewed ones, or of a running sign-in. */
  private onTokens(isSignedIn: boolean): void {
    const { screen } = this.current.value;
    if (isSignedIn) {
      if (screen === 'sign-in') void this.enter();
      return;
    }
    if (screen !== 'signed-in' && screen !== 'loading' && screen !== 'unreachable') return;
    if (this.options.store.read()) {
      void this.options.snapshots.clear();
      this.current.value = { screen: 'elsewhere' };
      return;
    }
    const reason = this.isLeaving ? undefined : (this.reason ?? 'ended-in-tab');
    this.reason = undefined;
    this.client = this.createClient();
    this.askToSignIn(reason);
  }

  private askToSignIn(reason: SignInReason | undefined): void {
    void this.options.snapshots.clear();
    this.current.value = { screen: 'sign-in', reason };
  }

  /** A refused refresh makes the SDK clear the tokens. A refused access token does not, so it is done here. */
  private onRefused(client: AgentClient, token: string | undefined): void {
    if (client !== this.client) return;
    if (token !== undefined && token !== client.tokens?.token) return;
    this.reason ??= 'ended';
    if (token !== undefined) void client.logout().catch(() => undefined);
  }
}
