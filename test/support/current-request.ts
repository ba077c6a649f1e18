import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { rememberRequest } from '../../src/platform/request/current-request.js';

/** Runs the work inside a request from this address. `disconnect` closes the request. */
export function asRequestFrom<T>(address: string, work: () => T): { result: T; disconnect: () => void } {
  const response = new EventEmitter();
  let result: T | undefined;
  const request = { ip: address, headers: {} } as unknown as Request;
  rememberRequest(request, response as unknown as Response, () => (result = work()));
  return { result: result as T, disconnect: () => void response.emit('close') };
}
