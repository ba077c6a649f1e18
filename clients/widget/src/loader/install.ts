import type { Attributes, BootOptions, Identity, Methods, SupportChat, WidgetEvent, WidgetEvents } from '../api.js';
import { Chunk } from './chunk.js';
import { ConfigRefused, readConfig } from './config.js';
import { safeStorage } from './storage.js';
import { Widget } from './widget.js';

/** A call before the script was loaded: the snippet of the guide collects them. */
type Call = [keyof Methods, ...unknown[]];
type Queue = ((...call: Call) => void) & { q?: ArrayLike<unknown>[] };
type Installed = SupportChat & { adopt(chunk: string): void };

/**
 * Installs `window.SupportChat` and makes the calls that the page made before. A page that includes the script twice
 * keeps the first one.
 * @param chunkPath relative to the script
 */
export function install(chunkPath: string): void {
  const existing = window.SupportChat as (SupportChat & Partial<Installed & Queue>) | undefined;
  if (existing?.adopt) return existing.adopt(chunkPath);
  const script = document.currentScript as HTMLScriptElement | null;
  const page = new Page(chunkPath, script);
  const api = page.api;
  window.SupportChat = api;
  for (const call of existing?.q ?? []) {
    const [method, ...args] = Array.from(call) as Call;
    (api as (...call: Call) => unknown)(method, ...args);
  }
  if (script?.dataset.widgetToken) page.bootByItself();
}

/** The page's side of the interface. */
class Page {
  readonly api: Installed;
  private readonly listeners = new Map<string, Set<(detail: never) => void>>();
  private readonly storage = safeStorage(() => localStorage);
  private readonly tab = safeStorage(() => sessionStorage);
  private chunk: Chunk | undefined;
  private widget: Widget | undefined;
  private boot: BootOptions | undefined;
  private booting: Promise<Widget | undefined> = Promise.resolve(undefined);

  constructor(
    private readonly chunkPath: string,
    private readonly script: HTMLScriptElement | null,
  ) {
    const { methods } = this;
    const call = (method: keyof Methods, ...args: unknown[]): unknown =>
      Object.hasOwn(methods, method)
        ? (methods[method] as (...args: unknown[]) => unknown)(...args)
        : warn(`there is no method ${String(method)}`);
    const readState = () => ({ isOpen: false, unread: 0, ...this.widget?.state });
    this.api = Object.defineProperties(call, {
      ready: { value: new Promise<void>(resolve => this.on('ready', () => resolve())) },
      state: { get: readState },
      adopt: { value: (path: string) => this.chunk?.adopt(path) },
      ...Object.fromEntries(Object.entries(methods).map(([name, value]) => [name, { value }])),
    }) as unknown as Installed;
  }

  /** Boots by the script's attributes, unless the page has called `boot`. */
  bootByItself(): void {
    if (!this.boot) this.methods.boot();
  }

  private readonly methods: Methods = {
    boot: (options = {}) => {
      if (this.boot) return void warn('the widget is booted already: call shutdown first');
      this.boot = options;
      this.booting = this.start(options);
    },
    shutdown: async () => {
      this.boot = undefined;
      await this.booting;
      const { widget } = this;
      this.widget = undefined;
      await widget?.remove();
    },
    identify: identity => this.change(identity, widget => widget.withChatIfStarted(chat => chat.identify(identity))),
    setAttributes: attributes =>
      this.change({ attributes: { ...this.boot?.attributes, ...attributes } }, widget =>
        widget.withChatIfStarted(chat => chat.setAttributes(attributes)),
      ),
    open: () => this.run(widget => widget.open()),
    close: () => this.run(widget => widget.close()),
    toggle: () => this.run(widget => widget.toggle()),
    show: () => this.run(widget => widget.setLauncher(true)),
    hide: () =>
      this.run(widget => {
        widget.setLauncher(false);
        widget.close();
      }),
    newMessage: text =>
      this.run(widget => {
        widget.open();
        void widget.withChat(chat => chat.newMessage(text));
      }),
    openConversation: id =>
      this.run(widget => {
        widget.open();
        void widget.withChat(chat => chat.openConversation(id));
      }),
    setLocale: locale =>
      void this.change({ locale }, widget => widget.withChatIfStarted(chat => chat.setLocale(locale))),
    setTheme: theme => void this.change({ theme }, widget => widget.withChatIfStarted(chat => chat.setTheme(theme))),
    setPage: (url, title) => this.run(widget => void widget.withChatIfStarted(chat => chat.setPage(url, title))),
    on: (event, listener) => this.on(event, listener),
  };

  private on<Event extends WidgetEvent>(event: Event, listener: (detail: WidgetEvents[Event]) => void): () => void {
    const all = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, all.add(listener));
    return () => void all.delete(listener);
  }

  private readonly emit = <Event extends WidgetEvent>(event: Event, detail: WidgetEvents[Event]): void => {
    for (const listener of this.listeners.get(event) ?? []) {
      try {
        listener(detail as never);
      } catch (error) {
        reportError(error);
      }
    }
    window.dispatchEvent(new CustomEvent(`support-chat:${event}`, { detail }));
  };

  /** @returns undefined if the channel does not accept the page: the page then stays as it is */
  private async start(boot: BootOptions): Promise<Widget | undefined> {
    try {
      const dataset = this.script?.dataset ?? {};
      const widgetToken = boot.widgetToken ?? dataset.widgetToken;
      if (!widgetToken) throw new ConfigRefused('a widget token is missing');
      const baseUrl = baseUrlOf(boot.baseUrl ?? this.script?.src);
      const config = await readConfig(baseUrl, widgetToken);
      if (this.boot !== boot) return undefined;
      const mode = dataset.mode === 'page' ? 'page' : 'bubble';
      const { storage, tab, emit } = this;
      const chunk = (this.chunk = new Chunk(baseUrl, this.chunkPath));
      this.widget = new Widget({ baseUrl, widgetToken, mode, boot, config, chunk, storage, tab, emit });
      this.emit('ready', undefined);
      return this.widget;
    } catch (error) {
      warn((error as Error).message);
      this.emit('error', error as Error);
      return undefined;
    }
  }

  private run(use: (widget: Widget) => void): void {
    void this.booting.then(widget => widget && use(widget));
  }

  /** Keeps what the chat starts with, and gives it to a chat that has started. */
  private async change(
    changed: Partial<BootOptions> | Identity | { attributes: Attributes },
    use: (widget: Widget) => Promise<unknown>,
  ): Promise<void> {
    if (!this.boot) return void warn('the widget is not booted');
    Object.assign(this.boot, changed);
    const widget = await this.booting;
    if (widget) await use(widget);
  }
}

/** @param url of the script, or of the service */
function baseUrlOf(url: string | undefined): string {
  if (!url) throw new ConfigRefused('a base URL is missing');
  return new URL(url.endsWith('.js') || url.includes('.js?') ? '.' : url.replace(/\/?$/, '/'), url).href;
}

function warn(reason: string): undefined {
  console.warn(`support-chat: ${reason}`);
}
