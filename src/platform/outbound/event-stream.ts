import { createParser } from 'eventsource-parser';

export interface StreamedEvent {
  /** `message` if the stream names none. */
  event: string;
  data: string;
}

export function isEventStream(contentType: string): boolean {
  return /^text\/event-stream\b/i.test(contentType);
}

/** Yields the whole events of a `text/event-stream` body. Drops an event in whose middle the body ends. */
export async function* readEventStream(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<StreamedEvent, void, undefined> {
  let events: StreamedEvent[] = [];
  const parser = createParser({ onEvent: ({ event = 'message', data }) => events.push({ event, data }) });
  const decoder = new TextDecoder();
  const normalize = lineNormalizer();
  for await (const chunk of body) {
    parser.feed(normalize(decoder.decode(chunk, { stream: true })));
    yield* events;
    events = [];
  }
}

/**
 * Replaces CRLF and CR by LF, also when a chunk ends between the two. The parser would keep a CR until the next chunk
 * arrives, and would search many of them in quadratic time.
 */
function lineNormalizer(): (chunk: string) => string {
  let endsWithCr = false;
  return chunk => {
    if (chunk === '') return '';
    const text = endsWithCr && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    endsWithCr = chunk.endsWith('\r');
    return text.replace(/\r\n?/g, '\n');
  };
}
