import { CLOSE, icon } from '@support-chat/ui/icons.jsx';
import { failureText } from '../failure-text.js';
import { t } from '../texts/index.js';
import type { Upload, Uploads } from './uploads.js';

/** The files of a message that is being written. */
export function Files({ uploads }: { uploads: Uploads }) {
  if (uploads.all.value.length === 0) return null;
  return (
    <ul class="files">
      {uploads.all.value.map(upload => (
        <li key={upload.id}>
          <span dir="auto">{upload.file.name}</span>
          <UploadState uploads={uploads} upload={upload} />
          <button class="icon-button" type="button" onClick={() => uploads.remove(upload.id)}>
            <span class="unseen">{t('removeFile', { name: upload.file.name })}</span>
            {icon(CLOSE)}
          </button>
        </li>
      ))}
    </ul>
  );
}

function UploadState({ uploads, upload }: { uploads: Uploads; upload: Upload }) {
  const { file, error, stored, progress } = upload;
  if (error === undefined) {
    return stored ? null : <progress value={progress} aria-label={t('uploading', { name: file.name })} />;
  }
  return (
    <span class="fault" role="alert">
      {failureText(error)}{' '}
      <button class="link" type="button" onClick={() => uploads.retry(upload)}>
        {t('retry')}
      </button>
    </span>
  );
}
