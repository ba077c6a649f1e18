import type { WidgetConfigView } from '@support-chat/sdk';
import type { BootOptions, WidgetEvent, WidgetEvents, WidgetState } from '../api.js';
import type { Chat, Shell } from '../seam.js';
import type { Chunk } from './chunk.js';
import { addHost, type Host } from './host.js';
import { drawLauncher, type Launcher } from './launcher.js';
import { addPanel, type Panel } from './panel.js';
import type { SafeStorage } from './storage.js';
import { readableOn } from './readable-on.js';

/** Above what pages usually have, and below the maximum, so that a page can go above it. */
const DEFAULT_LAYER = 2_147_483_000;

export interface WidgetOptions {
  baseUrl: string;
  widgetToken: string;
  mode: Shell['mode'];
  boot: BootOptions;
  config: WidgetConfigView;
  chunk: Chunk;
  storage: SafeStorage;
  /** Storage of the tab: whether the panel is open. */
  tab: SafeStorage;
  emit<Event extends WidgetEvent>(event: Event, detail: WidgetEvents[Event]): void;
}

/** The widget on the page: launcher, panel, and the chat once it is needed. */
export class Widget {
  readonly state: WidgetState = { isOpen: false, unread: 0 };
  private readonly host: Host;
  private readonly launcher: Launcher;
  private readonly panel: Panel;
  private starting: Promise<Chat> | undefined;
  private chat: Chat | undefined;
  private label: string;
  private removed = false;

  constructor(private readonly options: WidgetOptions) {
    const { boot, config, mode } = options;
    this.host = addHost();
    this.launcher = drawLauncher(this.host.root);
    this.panel = addPanel(this.host.root, mode === 'page', () => this.close());
    this.label = config.theme.launcher_label || 'Chat';
    const { style, dataset } = this.host.element;
    const color = config.theme.primary_color;
    style.setProperty('--launcher', color);
    style.setProperty('--launcher-text', readableOn(color));
    style.setProperty('--layer', String(boot.zIndex ?? DEFAULT_LAYER));
    dataset.side = boot.position ?? config.theme.position;
    this.setLauncher(!boot.hideLauncher && mode === 'bubble');
    this.show();
    const { button } = this.launcher;
    button.addEventListener('click', () => this.toggle());
    for (const intent of ['pointerenter', 'focus']) {
      button.addEventListener(intent, () => void options.chunk.load().catch(() => undefined), { once: true });
    }
    if (mode === 'page' || this.tabKey('open') === '1') this.open(mode === 'page');
    else if (['session', 'outbox'].some(name => options.storage.get(this.key(name))))
      void this.withChat(() => undefined);
  }

  toggle(): void {
    if (this.state.isOpen) this.close();
    else this.open();
  }

  /** @param byVisitor false if the panel was open on the page before; it then takes no focus */
  open(byVisitor = true): void {
    if (this.state.isOpen) return;
    this.state.isOpen = true;
    this.options.tab.set(this.key('open'), '1');
    this.show();
    this.options.emit('open', undefined);
    void this.withChat(chat => {
      if (!this.state.isOpen) return;
      this.panel.open();
      chat.opened(byVisitor);
    });
  }

  close(): void {
    if (!this.state.isOpen || this.options.mode === 'page') return;
    this.state.isOpen = false;
    this.options.tab.set(this.key('open'), null);
    const hadFocus = this.host.root.activeElement !== null;
    this.panel.close();
    this.show();
    if (hadFocus) this.launcher.button.focus();
    this.chat?.closed();
    this.options.emit('close', undefined);
  }

  setLauncher(isShown: boolean): void {
    this.launcher.button.hidden = !isShown;
  }

  /** Runs something with the chat, which is loaded first. Resolves when it has run. */
  async withChat<Result>(use: (chat: Chat) => Result): Promise<Awaited<Result> | undefined> {
    this.starting ??= this.start();
    const chat = await this.starting.catch((error: Error) => {
      this.starting = undefined;
      this.options.emit('error', error);
      if (this.state.isOpen) this.close();
    });
    return chat && !this.removed ? await use(chat) : undefined;
  }

  /** Runs something with the chat if it has been started; otherwise it will start with the latest options. */
  async withChatIfStarted<Result>(use: (chat: Chat) => Result): Promise<void> {
    if (this.starting) await this.withChat(use);
  }

  async remove(): Promise<void> {
    this.removed = true;
    await this.chat?.shutdown();
    this.panel.remove();
    this.host.remove();
    const { storage, tab } = this.options;
    for (const each of [storage, tab]) {
      for (const key of each.keys()) if (key.startsWith(this.key(''))) each.set(key, null);
    }
  }

  private async start(): Promise<Chat> {
    const { button } = this.launcher;
    button.ariaBusy = 'true';
    try {
      const { start } = await this.options.chunk.load();
      this.chat = await start(this.shell());
      return this.chat;
    } finally {
      button.ariaBusy = null;
    }
  }

  private shell(): Shell {
    const { baseUrl, widgetToken, config, mode, boot, storage, emit } = this.options;
    return {
      baseUrl,
      widgetToken,
      config,
      root: this.host.root,
      panel: this.panel.dialog,
      mode,
      options: boot,
      storage,
      setUnread: (count, label) => this.setUnread(count, label),
      emit,
      open: () => this.open(),
      close: () => this.close(),
    };
  }

  private setUnread(count: number, label: string): void {
    const changed = count !== this.state.unread;
    this.state.unread = count;
    this.label = label;
    this.options.storage.set(this.key('unread'), String(count));
    this.show();
    if (changed) this.options.emit('unread', count);
  }

  private show(): void {
    this.launcher.show(this.label, this.state.unread, this.state.isOpen);
  }

  private key(name: string): string {
    return `support-chat:${this.options.widgetToken}:${name}`;
  }

  private tabKey(name: string): string | null {
    return this.options.tab.get(this.key(name));
  }
}
