import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { eventually } from '../../support/eventually.js';
import { stoppedAtEnd } from '../../support/jest/leftovers.js';

/** FIREFOX names another Firefox than Debian's. */
const program = process.env.FIREFOX ?? '/usr/bin/firefox-esr';

/** Time (ms) for one step, on a machine that is ten times slower than a good one. */
const STEP_MS = 60_000;
const START_MS = 120_000;

const ENTER = '\uE007';

type Fields = Record<string, unknown>;

interface Reply {
  id?: number;
  method?: string;
  params?: { level?: string; text?: string | null };
  result?: Fields;
  error?: string;
  message?: string;
}

interface Evaluated {
  type: string;
  result?: { value?: unknown; sharedId?: string };
  exceptionDetails?: { text: string };
}

/**
 * Firefox ESR in a new profile, driven by WebDriver BiDi over a socket. Playwright drives a Firefox of its own only, which
 * is not in any package registry.
 */
export class Firefox {
  readonly stop = stoppedAtEnd(() => this.shutDown());
  /** Errors in the console of all tabs, and uncaught exceptions. */
  readonly errors: string[] = [];
  private readonly pending = new Map<number, (reply: Reply) => void>();
  private lastId = 0;

  private constructor(
    private readonly process: ChildProcess,
    private readonly profile: string,
    private readonly socket: WebSocket,
  ) {
    socket.on('message', (data: Buffer) => this.receive(JSON.parse(data.toString()) as Reply));
  }

  /** @throws Error if Firefox is not installed */
  static async start(): Promise<Firefox> {
    if (!existsSync(program)) {
      throw new Error(
        `${program} does not exist: install Debian's package firefox-esr, or name another one by FIREFOX`,
      );
    }
    const profile = mkdtempSync(join(tmpdir(), 'support-chat-firefox-'));
    const argv = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'];
    const child = spawn(program, argv, { env: { ...process.env, HOME: profile }, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', error => (output += error.message));
    const address = await eventually(
      () => /WebDriver BiDi listening on (ws:\S+)/.exec(output)?.[1],
      START_MS,
      () => output,
    );
    const socket = new WebSocket(`${address}/session`);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const firefox = new Firefox(child, profile, socket);
    await firefox.send('session.new', { capabilities: {} });
    await firefox.send('session.subscribe', { events: ['log.entryAdded'] });
    return firefox;
  }

  async open(url: string): Promise<FirefoxTab> {
    const { context } = await this.send('browsingContext.create', { type: 'tab' });
    const tab = new FirefoxTab(this, context as string);
    await tab.goTo(url);
    return tab;
  }

  /** Sends a command. @throws Error with Firefox's message */
  async send(method: string, params: Fields): Promise<Fields> {
    const id = (this.lastId += 1);
    const reply = await new Promise<Reply>(resolve => {
      this.pending.set(id, resolve);
      this.socket.send(JSON.stringify({ id, method, params }));
    });
    if (!reply.result) throw new Error(`${method}: ${reply.error}: ${reply.message}`);
    return reply.result;
  }

  private receive(reply: Reply): void {
    if (reply.id !== undefined) this.pending.get(reply.id)?.(reply);
    else if (reply.method === 'log.entryAdded' && reply.params?.level === 'error') {
      this.errors.push(reply.params.text ?? 'an error without a text');
    }
  }

  private async shutDown(): Promise<void> {
    const ended = new Promise(resolve => this.process.once('exit', resolve));
    this.socket.terminate();
    if (this.process.exitCode === null && this.process.kill('SIGTERM')) await ended;
    rmSync(this.profile, { recursive: true, force: true });
  }
}

/** A page in Firefox, whose visitor uses the widget by mouse and keyboard. */
export class FirefoxTab {
  constructor(
    private readonly firefox: Firefox,
    private readonly context: string,
  ) {}

  async goTo(url: string): Promise<void> {
    await this.firefox.send('browsingContext.navigate', { context: this.context, url, wait: 'complete' });
  }

  async reload(): Promise<void> {
    await this.firefox.send('browsingContext.reload', { context: this.context, wait: 'complete' });
  }

  /** Waits for an element of the widget whose text contains `text`, and clicks on it. */
  async click(selector: string, text = ''): Promise<void> {
    const sharedId = await this.find(selector, text);
    const origin = { type: 'element', element: { sharedId } };
    await this.perform({
      type: 'pointer',
      id: 'mouse',
      actions: [
        { type: 'pointerMove', x: 0, y: 0, origin },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ],
    });
  }

  /** Types into what has the focus, and presses Enter. */
  async write(text: string): Promise<void> {
    const actions = [...text, ENTER].flatMap(value => ['keyDown', 'keyUp'].map(type => ({ type, value })));
    await this.perform({ type: 'key', id: 'keyboard', actions });
  }

  /** Waits for an element of the widget. @returns its reference */
  find(selector: string, text = ''): Promise<string> {
    const [name, content] = [selector, text].map(value => JSON.stringify(value));
    const expression = `[...document.querySelector('support-chat')?.shadowRoot.querySelectorAll(${name}) ?? []]
      .find(element => element.checkVisibility() && element.textContent.includes(${content}))`;
    return eventually(
      async () => (await this.evaluate(expression))?.sharedId,
      STEP_MS,
      () => [selector, text, this.firefox.errors],
    );
  }

  private async evaluate(expression: string): Promise<Evaluated['result']> {
    const target = { context: this.context };
    const { result, exceptionDetails } = (await this.firefox.send('script.evaluate', {
      expression,
      target,
      awaitPromise: true,
    })) as unknown as Evaluated;
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result;
  }

  private async perform(source: Fields): Promise<void> {
    await this.firefox.send('input.performActions', { context: this.context, actions: [source] });
  }
}
