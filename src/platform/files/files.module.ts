import { join } from 'node:path';
import { Global, Logger, Module, OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { FileStore } from './file-store.js';
import { DiskFileStore } from './file-store.disk.js';
import { S3FileStore } from './file-store.s3.js';
import { IncomingFilesService } from './incoming-files.service.js';

@Global()
@Module({
  providers: [
    {
      provide: FileStore,
      inject: [Config],
      useFactory: ({ s3, filesDir }: Config) =>
        s3 ? S3FileStore.connect(s3) : DiskFileStore.open(join(filesDir, 'store')),
    },
    IncomingFilesService,
  ],
  exports: [FileStore, IncomingFilesService],
})
export class FilesModule implements OnApplicationBootstrap {
  constructor(
    private readonly store: FileStore,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    const logger = new Logger('files');
    if (!this.store.usable) logger.warn('FILES_DIR cannot be written: uploads are refused.');
    if (this.store.kind === 'disk' && this.config.redisUrl !== null) {
      logger.warn('Several instances need S3_* or a FILES_DIR that all of them share.');
    }
  }
}
