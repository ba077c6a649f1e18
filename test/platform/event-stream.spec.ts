import { describe, expect, it } from '@jest/globals';
import type { StreamedEvent } from '../../src/platform/outbound/event-stream.js';
import { readEventStream } from '../../src/platform/outbound/event-stream.js';

async function* bodyOf(chunks: (string | Uint8Array)[], error?: Error): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  await Promise.resolve();
  if (error) throw error;
}

async function read(...chunks: (string | Uint8Array)[]): Promise<StreamedEvent[]> {
  const events: StreamedEvent[] = [];
  for await (const event of readEventStream(bodyOf(chunks))) events.push(event);
  return events;
}

describe('Reading an event stream', () => {
  it('An event has a name and data, and the name is "message" if the stream gives none.', async () => {
    expect(await read('event: delta\ndata: {"text":"Hi"}\n\ndata: x\n\n')).toEqual([
      { event: 'delta', data: '{"text":"Hi"}' },
      { event: 'message', data: 'x' },
    ]);
  });

  it('An event is the same wherever its bytes are split, also inside of a character or a line end.', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const bytes = Buffer.from(['\uFEFFevent: delta', 'data: 🙂 ü', 'data: two', '', 'data: last', '', ''].join(end));
      const expected = [
        { event: 'delta', data: '🙂 ü\ntwo' },
        { event: 'message', data: 'last' },
      ];
      for (let at = 0; at <= bytes.length; at += 1) {
        expect([at, await read(bytes.subarray(0, at), bytes.subarray(at))]).toEqual([at, expected]);
      }
      expect(await read(...Array.from(bytes, byte => Uint8Array.of(byte)))).toEqual(expected);
    }
  });

  it('Comments, unknown fields, retry times and events without data are ignored.', async () => {
    const text =
      ': ping\n\nid: 7\nretry: soon\nretry: 10\nfoo: bar\nbroken\n\nevent: empty\n\ndata: a\n: note\ndata: b\n\n';
    expect(await read(text)).toEqual([{ event: 'message', data: 'a\nb' }]);
  });

  it('A stream that ends in the middle of an event yields the whole events before it.', async () => {
    const whole = [{ event: 'message', data: 'a' }];
    for (const rest of ['data: b', 'data: b\n', 'data: b\r', 'data: b\r\n', 'da', 'data: \xf0', '']) {
      expect([rest, await read('data: a\n\n', rest)]).toEqual([rest, whole]);
    }
  });

  it('A stream that breaks yields the whole events before the break, and then its error.', async () => {
    const seen: StreamedEvent[] = [];
    const broken = new Error('broken');
    const reading = (async () => {
      for await (const event of readEventStream(bodyOf(['data: a\n\ndata: b\n', '\ndata: c'], broken)))
        seen.push(event);
    })();
    await expect(reading).rejects.toBe(broken);
    expect(seen.map(({ data }) => data)).toEqual(['a', 'b']);
  });

  it('Invalid UTF-8 is replaced.', async () => {
    expect(await read(Buffer.from([...Buffer.from('data: '), 0xff, 0x0a, 0x0a]))).toEqual([
      { event: 'message', data: '\uFFFD' },
    ]);
  });

  it('The body is closed when the reader stops early.', async () => {
    let closed = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          await Promise.resolve();
          yield Buffer.from('data: x\n\n');
        }
      } finally {
        closed = true;
      }
    }
    for await (const { data } of readEventStream(body())) {
      expect(data).toBe('x');
      break;
    }
    expect(closed).toBe(true);
  });

  it('A quarter megabyte of line ends takes no longer than one of text.', async () => {
    const time = async (text: string): Promise<number> => {
      const began = performance.now();
      await read(text);
      return performance.now() - began;
    };
    const size = 256 * 1024;
    const plain = await time('data: x\n'.repeat(size / 8));
    for (const hostile of ['\r', '\n', '\r\n'].map(end => end.repeat(size / end.length))) {
      expect(await time(hostile)).toBeLessThan(20 * plain + 200);
    }
  });
});
