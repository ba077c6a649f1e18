import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { Request } from 'express';
import { UnsupportedMediaType } from '../../kernel/errors.js';

export const TAKES_FILE = 'takes file';

const SCHEMA = {
  type: 'object' as const,
  required: ['file'],
  properties: { file: { type: 'string', format: 'binary', description: 'The file, with its name.' } },
};

/** Declares that the route takes one file as `multipart/form-data`. Its handler reads the body by `FileUploadsService`. */
export function TakesFile(): MethodDecorator {
  return applyDecorators(
    SetMetadata(TAKES_FILE, true),
    ApiConsumes('multipart/form-data'),
    ApiBody({ schema: SCHEMA, required: true }),
  );
}

/** @throws UnsupportedMediaType */
export function assertMultipart({ headers }: Request): void {
  if (/^multipart\/form-data *;.*boundary=/i.test(headers['content-type'] ?? '')) return;
  throw new UnsupportedMediaType({ message: 'The body must be a file; send Content-Type: multipart/form-data.' });
}
