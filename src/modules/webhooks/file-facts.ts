import type { AttachmentRef } from '../attachments/index.js';

interface WithMessage {
  message: { attachments: readonly AttachmentRef[] };
}

/** Reduces the files of a message to id, name, type and size. Other data is returned as it is. */
export function withoutFileUrls(data: object): object {
  if (!hasMessage(data) || data.message.attachments.length === 0) return data;
  const attachments = data.message.attachments.map(({ id, name, content_type, size }) => ({
    id,
    name,
    content_type,
    size,
  }));
  return { ...data, message: { ...data.message, attachments } };
}

function hasMessage(data: object): data is WithMessage {
  const { message } = data as { message?: Partial<WithMessage['message']> };
  return Array.isArray(message?.attachments);
}
