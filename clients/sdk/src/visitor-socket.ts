import type { Credential } from './authorized-api.js';
import type { ClientFrame, VisitorFrames } from './frames.js';
import { LiveSocket, type LiveOptions } from './live-socket.js';
import type { VisitedPage } from './visited-page.js';

/** The service takes one page in two seconds. */
const REPORT_EVERY_MS = 2_500;

/** Socket of a visitor, which also reports the page that the visitor sees. */
export class VisitorSocket extends LiveSocket<VisitorFrames> {
  private page: VisitedPage | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private changed = false;

  /** @param readPage returns the present page; undefined reports none */
  constructor(
    url: string,
    query: Record<string, string | undefined>,
    credential: Credential,
    options: LiveOptions,
    private readonly readPage: () => VisitedPage | undefined,
  ) {
    super(url, query, credential, options);
    // the service forgets the page when the visitor is away
    this.on('connected', () => this.reportPage(this.page));
    this.on('closed', ({ willReconnect }) => {
      if (!willReconnect) clearTimeout(this.timer);
    });
  }

  override send(frame: ClientFrame): boolean {
    if (frame.type !== 'page') return super.send(frame);
    this.reportPage(frame);
    return this.state === 'connected';
  }

  /**
   * Shows the page to the agents who view a conversation of the visitor. Call it after a navigation without a reload;
   * each connection reports the page by itself. Of frequent calls the last one counts.
   * @param page default the browser's page
   */
  reportPage(page?: VisitedPage): void {
    this.page = page;
    this.changed = true;
    if (this.timer === undefined) this.sendPage();
  }

  private sendPage(): void {
    const page = this.page ?? this.readPage();
    this.changed = false;
    if (!page || !super.send({ type: 'page', url: page.url, title: page.title })) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.changed) this.sendPage();
    }, REPORT_EVERY_MS);
  }
}
