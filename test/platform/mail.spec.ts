import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/config/config.js';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import { headerText, inertName } from '../../src/platform/mail/mail-text.js';
import { SmtpMailer } from '../../src/platform/mail/mailer.smtp.js';

describe('Names in mails', () => {
  it.each([
    ['Acme Inc.', 'Acme Inc.'],
    ['Dr. J.R. Müller & Söhne, 2.0', 'Dr. J.R. Müller & Söhne, 2.0'],
    ['Hafen 24/7: immer da', 'Hafen 24/7: immer da'],
    ['例え株式会社。東京支店', '例え株式会社。東京支店'],
    ['Team: Support', 'Team: Support'],
    ['Visit https://evil.example/login now', 'Visit https[:]//evil[.]example/login now'],
    ['HTTP://localhost:8080', 'HTTP[:]//localhost:8080'],
    ['evil.example', 'evil[.]example'],
    ['www.evil.com', 'www[.]evil[.]com'],
    ['bob@evil.example', 'bob@evil[.]example'],
    ['почта.рф', 'почта[.]рф'],
    ['evil.xn--p1ai', 'evil[.]xn--p1ai'],
    ['evil\uff0eexample', 'evil[.]example'],
    ['evil\u2024com', 'evil[.]com'],
    ['evil。com', 'evil[.]com'],
    ['evil.\u200bcom', 'evil[.]com'],
    ['evil\u00ad.com', 'evil[.]com'],
    ['😀.com', '😀[.]com'],
    ['10.1.2.3', '10[.]1[.]2[.]3'],
    ['mailto:bob', 'mailto[:]bob'],
    ['tel:+4930', 'tel[:]+4930'],
    ['\\\\server\\share', '\\server\\share'],
    ['Shop\r\nBcc: everyone\n\nYour account is closed', 'Shop Bcc: everyone Your account is closed'],
    ['Shop\u2028second\u2029third\u0085fourth\u000bfifth', 'Shop second thirdfourth fifth'],
    ['\u202egro.live\u202c', 'gro[.]live'],
    ['a\u0000b\u0007c\u001bd\u007fe', 'abcde'],
    [' \u200b \u2066 ', ''],
  ])('The name %j is made inert as %j.', (name, inert) => {
    expect(inertName(name)).toBe(inert);
  });

  it('An inert name stays unchanged when it is made inert again.', () => {
    for (const name of ['a.bc.de', 'https://x.yz', '1.2.3.4', 'mailto:x']) {
      expect(inertName(inertName(name))).toBe(inertName(name));
    }
  });
});

describe('Header text', () => {
  it('Header text is one line without control characters and at most 200 characters.', () => {
    expect(headerText('Invitation to A\r\nBcc: b@example.com\u0000')).toBe('Invitation to A Bcc: b@example.com');
    expect(headerText('x'.repeat(200))).toBe('x'.repeat(200));
    const long = headerText('😀'.repeat(300));
    expect([...long]).toHaveLength(200);
    expect(long.endsWith('😀…')).toBe(true);
  });
});

describe('Mails sent by SMTP', () => {
  let received: string;
  let server: ReturnType<typeof createServer>;
  beforeEach(async () => {
    received = '';
    server = createServer(socket => speakSmtp(socket, text => (received += text)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => new Promise(resolve => server.close(resolve)));

  async function send(to: string, subject: string): Promise<void> {
    const { port } = server.address() as AddressInfo;
    const mailer = new SmtpMailer(
      `smtp://127.0.0.1:${port}`,
      'desk@example.com',
      new UnitOfWork(undefined as never, loadConfig({ NODE_ENV: 'test' })),
    );
    await mailer.send({ to, subject, text: 'Hello', messageId: 'x@localhost' });
    mailer.onApplicationShutdown();
  }

  const header = (name: string) =>
    new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'm').exec(received)?.[1]?.replace(/\r\n[ \t]/g, ' ');

  it('A mail goes to one address only, and its subject adds no header.', async () => {
    await send('ada@xn--bcher-kva.example', 'Hello\r\nBcc: everyone@example.com\r\n\r\nA body of its own');
    expect(received.match(/^RCPT TO:.*$/gm)?.map(line => line.trim())).toEqual(['RCPT TO:<ada@xn--bcher-kva.example>']);
    expect(header('To')).toBe('ada@xn--bcher-kva.example');
    expect(header('Subject')).toBe('Hello Bcc: everyone@example.com A body of its own');
    expect(header('Bcc')).toBeUndefined();
  });

  it('An address with a comma is not parsed as a list of recipients.', async () => {
    await send('a@example.com, b@example.com', 'Hello');
    expect(received.match(/^RCPT TO:.*$/gm)).toHaveLength(1);
    expect(received).not.toContain('RCPT TO:<b@example.com>');
  });

  it("A mail's subject has at most 200 characters.", async () => {
    await send('ada@example.com', 'x'.repeat(500));
    expect(header('Subject')?.replaceAll(' ', '').length).toBeLessThan(300);
    expect(received).not.toContain('x'.repeat(200));
  });
});

/** A minimal SMTP server that accepts one mail. */
function speakSmtp(socket: Socket, take: (text: string) => void): void {
  let body = false;
  socket.setEncoding('utf8').write('220 ready\r\n');
  socket.on('data', (text: string) => {
    take(text);
    if (body) {
      if (!text.endsWith('\r\n.\r\n')) return;
      body = false;
      socket.write('250 taken\r\n');
    } else if (text.startsWith('DATA')) {
      body = true;
      socket.write('354 go on\r\n');
    } else if (text.startsWith('QUIT')) {
      socket.end('221 bye\r\n');
    } else socket.write('250 ok\r\n');
  });
  socket.on('error', () => undefined);
}
