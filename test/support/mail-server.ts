import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { ParsedMail } from 'mailparser';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { freePort } from './free-port.js';
import { rememberSecrets } from './known-secrets.js';

/**
 * `refuses`: the address does not exist (550). `busy`: try later (451). `hangs`: takes the mail and never answers. `cuts`:
 * takes the mail and closes the connection instead of an answer.
 */
export type MailServerMode = 'accepts' | 'refuses' | 'busy' | 'hangs' | 'cuts';

/** A mail and when the server received it. */
export type ReceivedMail = ParsedMail & { receivedAt: number };

/** A real SMTP server. It stores every mail it takes, also those that it does not acknowledge. */
export class MailServer {
  mode: MailServerMode = 'accepts';
  /** Milliseconds before it acknowledges a mail. */
  latency = 0;
  readonly mails: ReceivedMail[] = [];
  /** How many mails were answered `busy`. */
  private putOff = 0;
  private readonly sockets = new Set<Socket>();
  private server: SMTPServer | undefined;

  private constructor(readonly port: number) {}

  static async start(): Promise<MailServer> {
    const server = new MailServer(await freePort());
    await server.listen();
    return server;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** Starts again on the same port after `stop`. */
  async listen(): Promise<void> {
    this.server = this.create();
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server.server, 'listening');
    this.server.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  mailsTo(address: string): ReceivedMail[] {
    return this.mails.filter(({ to }) => [to].flat().some(list => list?.text === address));
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    const closed = new Promise<void>(resolve => (server ? server.close(() => resolve()) : resolve()));
    this.cut();
    await closed;
  }

  /** Accepts mails again, whatever happened before. Cuts connections without an answer. */
  async mend(): Promise<void> {
    if (this.mode === 'hangs') this.cut();
    this.mode = 'accepts';
    this.latency = 0;
    if (!this.server) await this.listen();
  }

  private cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private create(): SMTPServer {
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS', 'AUTH'],
      closeTimeout: 100,
      onRcptTo: (_address, _session, callback) => {
        if (this.mode === 'refuses') callback(reply(550, '5.1.1 no such user'));
        else if (this.mode === 'busy') callback(reply(451, `4.3.2 try again later, said ${(this.putOff += 1)} times`));
        else callback();
      },
      onData: (stream, _session, callback) => {
        const take = (mail: ParsedMail) => {
          rememberSecrets(mail.text ?? '');
          this.mails.push(Object.assign(mail, { receivedAt: performance.timeOrigin + performance.now() }));
          if (this.mode === 'cuts') this.cut();
          else if (this.mode !== 'hangs') setTimeout(callback, this.latency);
        };
        // It rejects if the connection ends within the mail.
        simpleParser(stream).then(take, () => undefined);
      },
    });
    server.on('error', () => undefined);
    return server;
  }
}

function reply(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
