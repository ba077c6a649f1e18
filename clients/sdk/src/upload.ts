/** How far an upload is, in bytes of its request. */
export interface UploadProgress {
  sent: number;
  total: number;
}

export interface UploadOptions {
  /** Name of the file; default that of a `File`. */
  name?: string | undefined;
  /** Called while the file is sent. Only browsers report progress; elsewhere it is called once, at the end. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** Cancels the upload. */
  signal?: AbortSignal | undefined;
}

/** The part of a browser's `XMLHttpRequest` that the SDK uses. */
interface ProgressRequest {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: FormData): void;
  abort(): void;
}

/** Undefined outside of browsers. */
export function progressRequest(): (new () => ProgressRequest) | undefined {
  return (globalThis as { XMLHttpRequest?: new () => ProgressRequest }).XMLHttpRequest;
}

/** An upload may take as long as the service allows. */
export const UPLOAD_TIMEOUT_MS = 600_000;

/** Builds the form of an upload. */
export function uploadForm(file: Blob, { name }: UploadOptions): FormData {
  const form = new FormData();
  form.append('file', file, name ?? (file as Partial<File>).name ?? 'file');
  return form;
}

/** Sends a form by XMLHttpRequest, the only way in which browsers report progress. Has the shape of `fetch`. */
export function fetchWithProgress(
  Request: new () => ProgressRequest,
  url: string,
  { headers, form, signal }: { headers: Record<string, string>; form: FormData; signal: AbortSignal },
  onProgress: (progress: UploadProgress) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new Request();
    request.open('POST', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress({ sent: loaded, total });
    request.onload = () =>
      resolve(new Response(request.responseText, { status: request.status, headers: headersOf(request) }));
    request.onerror = () => reject(new TypeError('Failed to fetch'));
    request.onabort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}

function headersOf(request: ProgressRequest): Headers {
  const headers = new Headers();
  for (const line of request
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
}
