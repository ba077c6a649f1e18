import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { envelope } from './request-context.js';

/**
 * An answer that may be too large to be held whole: members that are known, then lists that are read a page at a time,
 * as fast as the client takes them. What fails once it has begun breaks the connection off: half a JSON text is none.
 */
export class StreamedObject {
  /** @param members at least one */
  constructor(
    readonly members: object,
    readonly lists: Record<string, () => AsyncIterable<object[]>>,
  ) {}
}

/** The object in its envelope, on its way. */
export function streamed(requestId: string, object: StreamedObject): StreamableFile {
  const text = Readable.from(textOf(requestId, object), { objectMode: false });
  const file = new StreamableFile(text, { type: 'application/json; charset=utf-8' });
  return file.setErrorHandler((_error, response) => response.destroy?.());
}

async function* textOf(requestId: string, { members, lists }: StreamedObject): AsyncGenerator<string> {
  const opened = JSON.stringify(envelope(requestId, members));
  yield opened.slice(0, -2);
  for (const [name, pages] of Object.entries(lists)) {
    yield `,${JSON.stringify(name)}:[`;
    let separator = '';
    for await (const page of pages()) {
      if (page.length === 0) continue;
      yield separator + page.map(item => JSON.stringify(item)).join(',');
      separator = ',';
    }
    yield ']';
  }
  yield '}}';
}
