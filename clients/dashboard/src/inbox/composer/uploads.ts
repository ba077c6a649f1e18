import { signal, type ReadonlySignal } from '@preact/signals';
import { ApiError, type AgentClient, type AttachmentView } from '@support-chat/sdk';
import type { Mode } from '../../desk/drafts.js';

export const MAX_FILES = 10;
const MAX_BYTES = 25 * 1024 * 1024;

/** A file of a message that is being written. */
export interface Upload {
  readonly id: number;
  readonly file: File;
  /** 0 to 1. */
  readonly progress: number;
  readonly stored?: AttachmentView;
  readonly error?: unknown;
}

const kept = new WeakMap<AgentClient, Map<string, Uploads>>();

/** The files of a draft. They stay, and go on, while other conversations are shown. */
export function uploadsFor(agent: AgentClient, conversationId: string, mode: Mode): Uploads {
  let ofSession = kept.get(agent);
  if (!ofSession) kept.set(agent, (ofSession = new Map()));
  const key = `${conversationId} ${mode}`;
  let uploads = ofSession.get(key);
  if (!uploads) ofSession.set(key, (uploads = new Uploads(agent)));
  return uploads;
}

/** Sends files at once, so that they are there when the message is written. */
export class Uploads {
  private readonly list = signal<readonly Upload[]>([]);
  private readonly cancels = new Map<number, AbortController>();
  private lastId = 0;

  constructor(private readonly agent: Pick<AgentClient, 'attachments'>) {}

  get all(): ReadonlySignal<readonly Upload[]> {
    return this.list;
  }

  get isReady(): boolean {
    return this.list.value.every(({ stored }) => stored !== undefined);
  }

  /** @returns false if there are too many */
  add(files: readonly File[]): boolean {
    const free = MAX_FILES - this.list.peek().length;
    for (const file of files.slice(0, free)) {
      const upload = { id: ++this.lastId, file, progress: 0 };
      this.list.value = [...this.list.peek(), upload];
      void this.send(upload);
    }
    return files.length <= free;
  }

  retry(upload: Upload): void {
    void this.send(upload);
  }

  remove(id: number): void {
    this.cancels.get(id)?.abort();
    this.cancels.delete(id);
    this.list.value = this.list.peek().filter(each => each.id !== id);
  }

  /** @returns the stored files, which belong to a message now */
  take(): AttachmentView[] {
    const stored = this.list.peek().flatMap(each => each.stored ?? []);
    this.list.value = [];
    return stored;
  }

  private async send({ id, file }: Upload): Promise<void> {
    const cancel = new AbortController();
    this.cancels.set(id, cancel);
    this.update({ id, file, progress: 0 });
    try {
      if (file.size > MAX_BYTES) throw new ApiError({ status: 413, code: 'body_too_large', message: '' });
      const stored = await this.agent.attachments.upload(file, {
        signal: cancel.signal,
        onProgress: ({ sent, total }) => this.update({ id, file, progress: total === 0 ? 0 : sent / total }),
      });
      this.update({ id, file, progress: 1, stored });
    } catch (error) {
      this.update({ id, file, progress: 0, error });
    }
  }

  private update(upload: Upload): void {
    this.list.value = this.list.peek().map(each => (each.id === upload.id ? upload : each));
  }
}
