import { MemoryStorage } from './memory-storage.js';
import { PREVIEW_READY, type PreviewScene } from './preview-message.js';
import { SampleService } from './sample-service.js';
import { SampleSocket } from './sample-socket.js';

/** The part of the widget's interface that a preview needs. */
interface Widget {
  boot(options: { widgetToken: string; baseUrl: string }): void;
  shutdown(): Promise<void>;
}

/**
 * The page in the frame of the channel settings: the widget as visitors get it, with settings that are not saved. The
 * widget runs unchanged; fetch, sockets and storage of this page are replaced, and its policy allows no API request.
 */
const service = new URL('../', location.href).href;
/** Tabs with previews do not meet in locks and channels of the browser. */
const widgetToken = `wt_preview_${Math.random().toString(36).slice(2)}`;
const fetchFile = window.fetch.bind(window);
let sample: SampleService | undefined;
let widget: Widget | undefined;
let shown: Promise<void> = Promise.resolve();
let latest: PreviewScene | undefined;

/** Replaces a property of the window that the browser defines. */
function replace(name: 'fetch' | 'WebSocket' | 'localStorage' | 'sessionStorage', value: unknown): void {
  Object.defineProperty(window, name, { value, configurable: true });
}

async function fetchSample(input: string, init: RequestInit = {}): Promise<Response> {
  const { pathname } = new URL(input, location.href);
  if (!pathname.includes('/v1/')) return fetchFile(input, init);
  const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
  if (!sample) throw new TypeError('the preview has no scene');
  return sample.answer(init.method ?? 'GET', pathname, body);
}

async function show(scene: PreviewScene): Promise<void> {
  if (scene !== latest) return;
  await widget?.shutdown();
  sample = new SampleService(scene);
  // the panel then opens as on a later page of a visit, without taking the focus from the form
  if (scene.screen !== 'launcher') sessionStorage.setItem(`support-chat:${widgetToken}:open`, '1');
  if (!widget) {
    await import(/* @vite-ignore */ `${service}widget.js`);
    widget = (window as unknown as { SupportChat: Widget }).SupportChat;
  }
  widget.boot({ widgetToken, baseUrl: service });
}

replace('localStorage', new MemoryStorage());
replace('sessionStorage', new MemoryStorage());
replace('fetch', fetchSample);
replace('WebSocket', SampleSocket);

// the platform's own would take the focus from the form
HTMLDialogElement.prototype.show = function () {
  this.open = true;
};

addEventListener('message', ({ source, origin, data }: MessageEvent<PreviewScene>) => {
  if (source !== parent || origin !== location.origin || typeof data !== 'object' || !('screen' in data)) return;
  latest = data;
  shown = shown.then(() => show(data)).catch(reportError);
});
parent.postMessage(PREVIEW_READY, location.origin);
