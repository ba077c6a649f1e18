import { getEventListeners } from 'node:events';

const WINDOW_EVENTS = ['online', 'pageshow', 'pagehide', 'storage'];
const DOCUMENT_EVENTS = ['visibilitychange', 'resume'];

/** The globals of a browser's page that the SDK listens to. `remove` takes them away again. */
export class FakePage {
  readonly document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  readonly window = new EventTarget();
  private readonly globals: object;

  /** @param globals further globals, such as `localStorage` */
  constructor(globals: object = {}) {
    this.globals = {
      document: this.document,
      addEventListener: this.window.addEventListener.bind(this.window),
      removeEventListener: this.window.removeEventListener.bind(this.window),
      ...globals,
    };
    for (const [name, value] of Object.entries(this.globals)) {
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
  }

  show(): void {
    this.setVisibility('visible');
  }

  hide(): void {
    this.setVisibility('hidden');
  }

  /** @param fields further fields of the event, such as `persisted` */
  dispatch(type: string, fields: object = {}): void {
    const target = DOCUMENT_EVENTS.includes(type) ? this.document : this.window;
    target.dispatchEvent(Object.assign(new Event(type), fields));
  }

  get listenerCount(): number {
    const count = (target: EventTarget, types: string[]) =>
      types.flatMap(type => getEventListeners(target, type)).length;
    return count(this.window, WINDOW_EVENTS) + count(this.document, DOCUMENT_EVENTS);
  }

  remove(): void {
    for (const name of Object.keys(this.globals)) Reflect.deleteProperty(globalThis, name);
  }

  private setVisibility(state: string): void {
    this.document.visibilityState = state;
    this.dispatch('visibilitychange');
  }
}
