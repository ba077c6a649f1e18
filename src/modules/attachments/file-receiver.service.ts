import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { BodyTooLarge, Unavailable } from '../../kernel/errors.js';
import type { IncomingFile } from '../../platform/files/incoming-upload.js';
import { coversType, FILE_TYPES } from '../channels/index.js';
import { cleanName } from './attachment.js';
import { AttachmentTypeRefused } from './attachments.errors.js';
import { HEAD_BYTES, TextCheck, typeOfFile, typeOfHead } from './content-type.js';

/** Limits for the files of an uploader. */
export interface UploadRules {
  maxBytes: number;
  types: readonly string[];
}

export interface ReceivedFile {
  name: string;
  contentType: string;
  size: number;
}

/** Writes a file to disk while it arrives, and checks its size and type. */
@Injectable()
export class FileReceiverService {
  /** @throws BodyTooLarge, AttachmentTypeRefused as soon as it is known, Unavailable */
  async receive(source: IncomingFile, path: string, rules: UploadRules): Promise<ReceivedFile> {
    const name = cleanName(source.name);
    const check = new ArrivalCheck(rules);
    const target = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    try {
      await pipeline(source.bytes, chunks => check.pass(chunks as AsyncIterable<Buffer>), target);
    } catch (error) {
      // only the disk raises errors of the system: it is full or gone
      throw (error as NodeJS.ErrnoException).syscall === undefined ? error : new Unavailable({ cause: error });
    }
    const contentType = await typeOfFile(path, { name, isText: check.isText() });
    assertAllowed(contentType, rules);
    return { name, contentType, size: check.size };
  }
}

/** Checks the bytes of one file on their way. */
class ArrivalCheck {
  size = 0;
  private readonly text = new TextCheck();
  private readonly head: Buffer[] = [];
  private headChecked = false;

  constructor(private readonly rules: UploadRules) {}

  async *pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.size += chunk.length;
      if (this.size > this.rules.maxBytes) throw tooLarge(this.rules.maxBytes);
      this.text.add(chunk);
      if (!this.headChecked) await this.checkHead(chunk);
      yield chunk;
    }
  }

  isText(): boolean {
    return this.text.end();
  }

  /** Looks at the first bytes once enough of them have come. */
  private async checkHead(chunk: Buffer): Promise<void> {
    this.head.push(chunk);
    if (this.size < HEAD_BYTES) return;
    this.headChecked = true;
    const type = await typeOfHead(Buffer.concat(this.head.splice(0)), this.text.isTextSoFar);
    if (type !== null) assertAllowed(type, this.rules);
  }
}

export function tooLarge(maxBytes: number): Error {
  return new BodyTooLarge({ message: `The file is larger than ${maxBytes} bytes.` });
}

/** @throws AttachmentTypeRefused */
function assertAllowed(contentType: string, { types }: UploadRules): void {
  if (coversType(FILE_TYPES, contentType) && coversType(types, contentType)) return;
  throw new AttachmentTypeRefused({ message: `Files of the type ${contentType} are not accepted here.` });
}
