import type { ApiError, AttachmentView } from '@support-chat/sdk';
import type { ChatController } from '../chat.js';

/** A file of a message that is being written. */
export interface Upload {
  id: number;
  name: string;
  /** 0 to 1. */
  progress: number;
  /** The file, once it has been uploaded. */
  view?: AttachmentView;
  error?: string;
  abort: AbortController;
}

const MAX_FILES = 10;
let lastId = 0;

/** Uploads files as soon as they are chosen. */
export class Uploads {
  files: Upload[] = [];

  constructor(
    private readonly chat: ChatController,
    private readonly changed: () => void,
  ) {}

  get isBusy(): boolean {
    return this.files.some(({ view, error }) => !view && !error);
  }

  readonly add = (chosen: Iterable<File>): void => {
    const { features, limits } = this.chat.config;
    if (!features.attachments) return;
    for (const file of [...chosen].slice(0, MAX_FILES - this.files.length)) {
      const upload: Upload = { id: ++lastId, name: file.name, progress: 0, abort: new AbortController() };
      this.files.push(upload);
      if (file.size > limits.max_attachment_bytes) upload.error = explain(this.chat, file, { status: 413 });
      else void this.start(upload, file);
    }
    this.changed();
  };

  remove(upload: Upload): void {
    upload.abort.abort();
    this.files = this.files.filter(each => each !== upload);
    this.changed();
  }

  /** Forgets the files, because their message has been sent. @returns those that were uploaded */
  take(): AttachmentView[] {
    const views = this.files.flatMap(({ view }) => view ?? []);
    this.files = [];
    return views;
  }

  private async start(upload: Upload, file: File): Promise<void> {
    try {
      upload.view = await this.chat.upload(file, {
        signal: upload.abort.signal,
        onProgress: ({ sent, total }) => {
          upload.progress = sent / total;
          this.changed();
        },
      });
    } catch (error) {
      upload.error = explain(this.chat, file, error as Partial<ApiError>);
    }
    this.changed();
  }
}

function explain({ translator, config }: ChatController, { name }: File, { status, code }: Partial<ApiError>): string {
  const { text, size } = translator;
  const isTooLarge = status === 413 && code !== 'storage_quota';
  if (isTooLarge) return text('fileTooLarge', { name, size: size(config.limits.max_attachment_bytes) });
  return text(status === 415 ? 'fileRefused' : 'uploadFailed', { name });
}
