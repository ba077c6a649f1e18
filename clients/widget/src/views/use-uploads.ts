import type { ApiError, AttachmentView } from '@support-chat/sdk';
import { useReducer, useRef } from 'preact/hooks';
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

export interface Uploads {
  files: Upload[];
  isBusy: boolean;
  add(files: Iterable<File>): void;
  remove(upload: Upload): void;
  /** Forgets the files, because their message has been sent. @returns those that were uploaded */
  take(): AttachmentView[];
}

/** Uploads files as soon as they are chosen. */
export function useUploads(chat: ChatController): Uploads {
  const files = useRef<Upload[]>([]);
  const [, update] = useReducer<number, void>(count => count + 1, 0);
  const change = (upload: Upload, fields: Partial<Upload>): void => {
    Object.assign(upload, fields);
    update();
  };
  const start = async (upload: Upload, file: File): Promise<void> => {
    try {
      const onProgress = ({ sent, total }: { sent: number; total: number }) =>
        change(upload, { progress: sent / total });
      change(upload, { view: await chat.upload(file, { signal: upload.abort.signal, onProgress }), progress: 1 });
    } catch (error) {
      change(upload, { error: explain(chat, file, error as Partial<ApiError>) });
    }
  };
  const add = (chosen: Iterable<File>): void => {
    if (!chat.config.features.attachments) return;
    for (const file of [...chosen].slice(0, MAX_FILES - files.current.length)) {
      const upload: Upload = { id: ++lastId, name: file.name, progress: 0, abort: new AbortController() };
      files.current = [...files.current, upload];
      const isTooLarge = file.size > chat.config.limits.max_attachment_bytes;
      if (isTooLarge) change(upload, { error: explain(chat, file, { status: 413 }) });
      else void start(upload, file);
    }
    update();
  };
  return {
    files: files.current,
    isBusy: files.current.some(({ view, error }) => !view && !error),
    add,
    remove(upload) {
      upload.abort.abort();
      files.current = files.current.filter(each => each !== upload);
      update();
    },
    take() {
      const views = files.current.flatMap(({ view }) => (view ? [view] : []));
      files.current = [];
      update();
      return views;
    },
  };
}

function explain({ translator, config }: ChatController, { name }: File, { status, code }: Partial<ApiError>): string {
  const { text, size } = translator;
  const isTooLarge = status === 413 && code !== 'storage_quota';
  if (isTooLarge) return text('fileTooLarge', { name, size: size(config.limits.max_attachment_bytes) });
  return text(status === 415 ? 'fileRefused' : 'uploadFailed', { name });
}
