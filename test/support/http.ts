import supertest from 'supertest';
import type { TestApp } from './app.js';
import type { Contract } from './contract.js';
import { rememberSecrets } from './known-secrets.js';
import type { Json } from './json.js';

/** A response that has been validated against the API reference. */
export interface Answer<T = Record<string, never>> {
  status: number;
  headers: Record<string, string>;
  body: { ok: boolean; request_id: string; timestamp: string; data: T; error: Problem };
  /** `body.data` */
  data: T;
  /** `body.error` */
  error: Problem;
}

export interface Problem {
  code: string;
  message: string;
  details?: { field: string; code: string; message: string }[];
  [more: string]: unknown;
}

export type Method = 'get' | 'post' | 'patch' | 'delete' | 'put';

/** Calls the service over HTTP with one credential. Validates each response against the OpenAPI document. */
export class Caller {
  constructor(
    private readonly app: TestApp,
    private readonly contract: Contract,
    readonly token: string | null,
  ) {}

  get<T = Json>(path: string, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.call('get', path, undefined, headers);
  }

  post<T = Json>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.call('post', path, body, headers);
  }

  patch<T = Json>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.call('patch', path, body, headers);
  }

  delete<T = Json>(path: string, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.call('delete', path, undefined, headers);
  }

  async call<T>(method: Method, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    const request = supertest(this.app.url)[method](path).set(headers);
    if (this.token !== null) request.set('Authorization', `Bearer ${this.token}`);
    return this.answerOf(method, path, await (body === undefined ? request : request.send(body as object)));
  }

  /** Uploads a file as `multipart/form-data`. */
  async upload<T = Json>(path: string, bytes: Buffer, name = 'file.txt'): Promise<Answer<T>> {
    const request = supertest(this.app.url).post(path).attach('file', bytes, { filename: name });
    if (this.token !== null) request.set('Authorization', `Bearer ${this.token}`);
    return this.answerOf('post', path, await request);
  }

  private answerOf<T>(method: Method, path: string, response: supertest.Response): Answer<T> {
    rememberSecrets(response.text);
    this.contract.assertAnswer(method.toUpperCase(), path.split('?')[0] ?? path, response.status, response.body);
    const answered = response.body as Answer<T>['body'];
    return {
      status: response.status,
      headers: response.headers as Record<string, string>,
      body: answered,
      data: answered.data,
      error: answered.error,
    };
  }
}
