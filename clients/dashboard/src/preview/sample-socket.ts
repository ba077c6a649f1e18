const CONNECTING = 0;
const OPEN = 1;
const CLOSED = 3;

/** A socket that connects at once and delivers nothing. */
export class SampleSocket {
  onopen: ((event: Event) => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: ((event: Event) => void) | null = null;
  readyState = CONNECTING;

  constructor() {
    setTimeout(() => {
      if (this.readyState !== CONNECTING) return;
      this.readyState = OPEN;
      this.onopen?.(new Event('open'));
      this.deliver({ type: 'connected', data: { cursor: '0' } });
    });
  }

  send(text: string): void {
    const { type } = JSON.parse(text) as { type: string };
    if (type === 'ping') this.deliver({ type: 'pong', data: {} });
  }

  close(code = 1000, reason = ''): void {
    this.readyState = CLOSED;
    this.onclose?.({ code, reason });
  }

  private deliver(frame: object): void {
    setTimeout(() => this.onmessage?.({ data: JSON.stringify(frame) }));
  }
}
