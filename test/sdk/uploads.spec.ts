import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentClient, ApiError, VisitorClient } from '../../clients/sdk/src/index.js';
import type { UploadProgress } from '../../clients/sdk/src/index.js';
import { World } from '../support/world.js';
import type { Desk } from '../support/world.js';

let world: World;
let desk: Desk;
let agent: AgentClient;
beforeAll(async () => {
  world = await World.start();
  desk = await world.desk();
  agent = new AgentClient({ baseUrl: world.app.url });
  agent.restore({ token: desk.owner.token, refresh_token: desk.owner.refreshToken });
});
afterAll(() => world.stop());
afterEach(() => {
  delete (globalThis as { XMLHttpRequest?: unknown }).XMLHttpRequest;
});

const hello = new Blob(['Hello, ', 'world']);

/** A browser's XMLHttpRequest as far as uploads use it, which sends by `fetch`. */
class FakeBrowserRequest {
  status = 0;
  responseText = '';
  upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null } = { onprogress: null };
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onabort: (() => void) | null = null;
  private url = '';
  private readonly headers: Record<string, string> = {};
  private readonly cancel = new AbortController();

  open(_method: string, url: string): void {
    this.url = url;
  }

  setRequestHeader(name: string, value: string): void {
    this.headers[name] = value;
  }

  getAllResponseHeaders(): string {
    return 'content-type: application/json\r\nx-request-id: browser-1\r\n';
  }

  send(body: FormData): void {
    for (const loaded of [5, 12]) this.upload.onprogress?.({ loaded, total: 12 });
    const { signal } = this.cancel;
    void fetch(this.url, { method: 'POST', headers: this.headers, body, signal })
      .then(async response => {
        this.status = response.status;
        this.responseText = await response.text();
        this.onload?.();
      })
      .catch(() => (signal.aborted ? this.onabort?.() : this.onerror?.()));
  }

  abort(): void {
    this.cancel.abort();
  }
}

describe('The SDK uploads files', () => {
  it('An agent uploads a file with its name, sends it, and a visitor of the SDK sees it and sends one back.', async () => {
    const visitor = await VisitorClient.start({ baseUrl: world.app.url, widgetToken: desk.widgetToken });
    const photo = await visitor.attachments.upload(hello, { name: 'question.txt' });
    const { conversation, message } = await visitor.startConversation({ attachment_ids: [photo.id] });
    expect(message.attachments[0]).toMatchObject({ name: 'question.txt', size: 12 });
    const answer = await agent.attachments.upload(new File([hello], 'answer.txt'));
    const sent = await agent.conversations.send(conversation.id, { attachment_ids: [answer.id] });
    expect(sent.attachments[0]?.url).toContain('answer.txt');
    expect((await visitor.attachments.get(answer.id)).name).toBe('answer.txt');
  });

  it('Progress is reported while a browser sends, and once at the end elsewhere.', async () => {
    const seen: UploadProgress[] = [];
    await agent.attachments.upload(hello, { onProgress: progress => seen.push(progress) });
    expect(seen).toEqual([{ sent: 12, total: 12 }]);
    Object.assign(globalThis, { XMLHttpRequest: FakeBrowserRequest });
    const file = await agent.attachments.upload(hello, { name: 'a.txt', onProgress: progress => seen.push(progress) });
    expect(file.name).toBe('a.txt');
    expect(seen.slice(1)).toEqual([
      { sent: 5, total: 12 },
      { sent: 12, total: 12 },
    ]);
  });

  it('A refused upload is an ApiError with its code, with and without progress.', async () => {
    const program = new Blob([new Uint8Array([0x4d, 0x5a, 0, 1, 2, 3])]);
    const refused = () =>
      agent.attachments.upload(program, { onProgress: () => undefined }).catch((error: unknown) => error);
    const plain = await refused();
    Object.assign(globalThis, { XMLHttpRequest: FakeBrowserRequest });
    for (const error of [plain, await refused()]) {
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status: 415, code: 'attachment_type_refused' });
    }
  });

  it('A cancelled upload rejects, with and without progress.', async () => {
    const signal = AbortSignal.abort(new Error('left'));
    await expect(agent.attachments.upload(hello, { signal })).rejects.toMatchObject({ code: 'network_error' });
    Object.assign(globalThis, { XMLHttpRequest: FakeBrowserRequest });
    const cancelled = agent.attachments.upload(hello, { signal, onProgress: () => undefined });
    await expect(cancelled).rejects.toMatchObject({ code: 'network_error' });
  });
});
