import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { Unavailable } from '../../kernel/errors.js';
import type { S3Settings } from '../../config/config.js';
import type { ByteRange } from './file-store.js';
import { FileStore } from './file-store.js';

type Sdk = typeof import('@aws-sdk/client-s3');

/** Time limit of a call, until the first byte of an answer. */
const CALL_MS = 60_000;
const CONNECT_MS = 5_000;
const ATTEMPTS = 2;
/** Failures are thrown; the client would also write them to the console. */
const SILENT = { trace: noop, debug: noop, info: noop, warn: noop, error: noop };
/** Each download holds a connection for as long as its reader takes. */
const MAX_SOCKETS = 500;

/** Files in a bucket of any S3-compatible store. The bucket must exist. */
export class S3FileStore extends FileStore {
  readonly kind = 's3';
  readonly usable = true;

  private constructor(
    private readonly sdk: Sdk,
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {
    super();
  }

  /** Loads the client only where S3 is configured. Opens no connection yet. */
  static async connect({
    endpoint,
    region,
    bucket,
    accessKeyId,
    secretAccessKey,
    pathStyle,
  }: S3Settings): Promise<FileStore> {
    const sdk = await import('@aws-sdk/client-s3');
    const client = new sdk.S3Client({
      region,
      forcePathStyle: pathStyle,
      maxAttempts: ATTEMPTS,
      // many compatible stores know no other checksum than MD5
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      logger: SILENT,
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        requestTimeout: CALL_MS,
        throwOnRequestTimeout: true,
        httpAgent: { maxSockets: MAX_SOCKETS },
        httpsAgent: { maxSockets: MAX_SOCKETS },
      },
      credentials: { accessKeyId, secretAccessKey },
      ...(endpoint === null ? {} : { endpoint }),
    });
    return new S3FileStore(sdk, client, bucket);
  }

  async put(key: string, localFile: string, contentType: string): Promise<void> {
    const { size } = await stat(localFile).catch(unavailable);
    const body = createReadStream(localFile);
    const command = new this.sdk.PutObjectCommand({
      Bucket: this.bucket,
      Key: key,
      Body: body,
      ContentLength: size,
      ContentType: contentType,
    });
    try {
      await this.client.send(command, { abortSignal: AbortSignal.timeout(CALL_MS) });
    } catch (error) {
      throw new Unavailable({ cause: error });
    } finally {
      body.destroy();
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable | null> {
    const command = new this.sdk.GetObjectCommand({
      Bucket: this.bucket,
      Key: key,
      ...(range ? { Range: `bytes=${range.start}-${range.end}` } : {}),
    });
    const found = await this.client.send(command).catch((error: unknown) => {
      if (error instanceof this.sdk.NoSuchKey) return null;
      throw new Unavailable({ cause: error });
    });
    return found ? bodyOf(found) : null;
  }

  async remove(key: string): Promise<void> {
    const command = new this.sdk.DeleteObjectCommand({ Bucket: this.bucket, Key: key });
    await this.client.send(command, { abortSignal: AbortSignal.timeout(CALL_MS) }).catch((error: unknown) => {
      if (error instanceof this.sdk.NoSuchKey) return;
      throw new Unavailable({ cause: error });
    });
  }
}

function bodyOf({ Body: body }: GetObjectCommandOutput): Readable {
  return body as Readable;
}

function noop(): void {}

function unavailable(error: unknown): never {
  throw new Unavailable({ cause: error });
}
