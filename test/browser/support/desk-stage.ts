import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { ServerClient, VisitorClient } from '../../../clients/sdk/src/index.js';
import type { OutsideDesk } from '../../support/outside.js';
import { ChatService } from './chat-service.js';
import { TestBrowser } from './test-browser.js';

/** A service and a browser for a spec file, and a desk of its own for each test. */
export class DeskStage {
  service!: ChatService;
  browser!: TestBrowser;
  desk!: OutsideDesk;
  /** Acts for the desk with its API key. */
  server!: ServerClient;

  /** @param settings environment variables of the service */
  constructor(private readonly settings: Record<string, string> = {}) {}

  /** Registers the hooks. Call it in a `describe` block. */
  register(): void {
    beforeAll(async () => {
      [this.service, this.browser] = await Promise.all([ChatService.start(this.settings), TestBrowser.start()]);
    }, 240_000);
    beforeEach(async () => {
      this.desk = await this.service.openDesk();
      this.server = new ServerClient({ baseUrl: this.service.url, apiKey: this.desk.key });
    });
    afterAll(() => Promise.all([this.browser.stop(), this.service.stop()]));
  }

  /** Opens a session of a visitor. */
  visit(name: string): Promise<VisitorClient> {
    return VisitorClient.start({ baseUrl: this.service.url, widgetToken: this.desk.widgetToken, name });
  }
}
