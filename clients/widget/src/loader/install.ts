import type { Methods, SupportChat, WidgetEvent, WidgetEvents } from '../api.js';
import type { Chat, StartOptions } from '../seam.js';
import { createChunk, type Chunk } from './chunk.js';
import { readConfig } from './config.js';
import { safeStorage } from './storage.js';
import { addWidget, type Widget } from './widget.js';

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
  const dataset = script?.dataset ?? {};
  const listeners = new Map<string, Set<(detail: never) => void>>();
  const storage = safeStorage(() => localStorage);
  const tab = safeStorage(() => sessionStorage);
  let chunk: Chunk | undefined;
  let widget: Widget | undefined;
  /** Options of the widget that is booted, with what the page has changed since. */
  let boot: StartOptions | undefined;
  let booting: Promise<Widget | undefined> = Promise.resolve(undefined);

  function on<Event extends WidgetEvent>(event: Event, listener: (detail: WidgetEvents[Event]) => void): () => void {
    const all = listeners.get(event) ?? new Set();
    listeners.set(event, all.add(listener));
    return () => void all.delete(listener);
  }

  function emit<Event extends WidgetEvent>(event: Event, detail: WidgetEvents[Event]): void {
    for (const listener of listeners.get(event) ?? []) {
      try {
        listener(detail as never);
      } catch (error) {
        reportError(error);
      }
    }
    dispatchEvent(new CustomEvent(`support-chat:${event}`, { detail }));
  }

  /** @returns undefined if the channel does not accept the page: the page then stays as it is */
  async function start(options: StartOptions): Promise<Widget | undefined> {
    try {
      const widgetToken = options.widgetToken ?? dataset.widgetToken;
      const url = options.baseUrl ?? script?.src;
      if (!widgetToken || !url) throw new Error('no widget token or base URL');
      const baseUrl = baseUrlOf(url);
      const config = await readConfig(baseUrl, widgetToken);
      if (boot !== options) return undefined;
      const mode = dataset.mode === 'page' ? 'page' : 'bubble';
      chunk = createChunk(baseUrl, chunkPath);
      widget = addWidget({ baseUrl, widgetToken, mode, boot, config, chunk, storage, tab, emit });
      emit('ready', undefined);
      return widget;
    } catch (error) {
      warn((error as Error).message);
      emit('error', error as Error);
      return undefined;
    }
  }

  const run = (use: (widget: Widget) => unknown): void => void booting.then(booted => booted && use(booted));

  const openWith = (use: (chat: Chat) => void): void =>
    run(booted => {
      booted.open();
      void booted.withChat(use);
    });

  /** Keeps what the chat starts with, and gives it to a chat that has started. */
  async function change(changed: StartOptions, use: (chat: Chat) => unknown): Promise<void> {
    if (!boot) return warn('the widget is not booted');
    Object.assign(boot, changed);
    await (await booting)?.withChatIfStarted(use);
  }

  const methods: Methods = {
    boot(options = {}) {
      if (boot) return warn('the widget is booted already: call shutdown first');
      boot = options;
      booting = start(options);
    },
    async shutdown() {
      boot = undefined;
      await booting;
      const booted = widget;
      widget = undefined;
      await booted?.remove();
    },
    identify: identity => change(identity, chat => chat.identify(identity)),
    setAttributes: attributes =>
      change({ attributes: { ...boot?.attributes, ...attributes } }, chat => chat.setAttributes(attributes)),
    open: () => run(booted => booted.open()),
    close: () => run(booted => booted.close()),
    toggle: () => run(booted => booted.toggle()),
    show: () => run(booted => booted.setLauncher(true)),
    hide: () =>
      run(booted => {
        booted.setLauncher(false);
        booted.close();
      }),
    newMessage: text => openWith(chat => chat.newMessage(text)),
    openConversation: id => openWith(chat => chat.openConversation(id)),
    setLocale: locale => void change({ locale }, chat => chat.setLocale(locale)),
    setTheme: theme => void change({ theme }, chat => chat.setTheme(theme)),
    setPage: (url = location.href, title = document.title) =>
      void change({ page: { url, title } }, chat => chat.setPage(url, title)),
    on,
  };

  const call = (method: keyof Methods, ...args: unknown[]): unknown =>
    Object.hasOwn(methods, method)
      ? (methods[method] as (...args: unknown[]) => unknown)(...args)
      : warn(`there is no method ${String(method)}`);
  const api = (window.SupportChat = Object.defineProperties(call, {
    ready: { value: new Promise<void>(resolve => on('ready', resolve)) },
    state: { get: () => ({ isOpen: false, unread: 0, ...widget?.state }) },
    adopt: { value: (path: string) => chunk?.adopt(path) },
    ...Object.fromEntries(Object.entries(methods).map(([name, value]) => [name, { value }])),
  }) as unknown as Installed);
  for (const queued of existing?.q ?? []) {
    const [method, ...args] = Array.from(queued) as Call;
    call(method, ...args);
  }
  // unless the page has called `boot`
  if (dataset.widgetToken && !boot) api.boot();
}

/** @param url of the script, or of the service */
function baseUrlOf(url: string): string {
  return new URL(url.endsWith('.js') || url.includes('.js?') ? '.' : url.replace(/\/?$/, '/'), url).href;
}

function warn(reason: string): void {
  console.warn(`support-chat: ${reason}`);
}
