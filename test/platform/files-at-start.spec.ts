import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Config } from '../../src/config/config.js';
import { FilesModule } from '../../src/platform/files/files.module.js';
import type { FileStore } from '../../src/platform/files/file-store.js';

/** Returns the warnings that a service with this store logs when it starts. */
function warningsOf(store: Pick<FileStore, 'kind' | 'usable'>, redisUrl: string | null): string[] {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  new FilesModule(store as FileStore, { redisUrl } as Config).onApplicationBootstrap();
  const messages = warn.mock.calls.map(([message]) => String(message));
  warn.mockRestore();
  return messages;
}

const REDIS = 'redis://redis.example:6379';

describe('A service that starts', () => {
  it('With several instances and files on disk, it says that they need S3 or a shared folder.', () => {
    const expected = [expect.stringContaining('S3_* or a FILES_DIR that all of them share')];
    expect(warningsOf({ kind: 'disk', usable: true }, REDIS)).toEqual(expected);
  });

  it('With one instance, or with S3, it says nothing of files.', () => {
    expect(warningsOf({ kind: 'disk', usable: true }, null)).toEqual([]);
    expect(warningsOf({ kind: 's3', usable: true }, REDIS)).toEqual([]);
  });

  it('With a folder that cannot be written, it says that uploads are refused.', () => {
    expect(warningsOf({ kind: 'disk', usable: false }, null)).toEqual([expect.stringContaining('uploads are refused')]);
  });
});
