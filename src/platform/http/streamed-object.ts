import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { envelope } from '../request/request-context.js';

/**
 * A response that may be too large for memory: known members, then lists that are read in pages as fast as the client
 * reads. An error after the start destroys the connection, so that the client gets no complete JSON.
 */
export class StreamedObject {
  /** @param members at least one */
  constructor(
    readonly members: object,
    readonly lists: Record<string, () => AsyncIterable<object[]>>,
  ) {}
}

/** @returns a stream of the object in its envelope */
export function streamed(requestId: string, object: StreamedObject): StreamableFile {
  const text = Readable.from(textOf(requestId, object), { objectMode: false });
  const file = new StreamableFile(text, { type: 'application/json; charset=utf-8' });
  return file.setErrorHandler((_error, response) => response.destroy?.());
}

async function* textOf(requestId: string, { members, lists }: StreamedObject): AsyncGenerator<string> {
  const start = JSON.stringify(envelope(requestId, members));
  yield start.slice(0, -2);
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
