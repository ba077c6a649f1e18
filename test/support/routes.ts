import type { App } from '../../src/app.js';
import type { Access } from '../../src/platform/access/access.decorator.js';
import { Contract } from './contract.js';
import type { Method } from './http.js';

export interface Route {
  /** `POST /v1/bots/{id}` */
  name: string;
  method: Method;
  /** Path with its parameters in braces. */
  path: string;
  parameters: string[];
  access: Access | undefined;
  rate: string | undefined;
  /** Statuses listed in the reference. */
  statuses: string[];
}

/** Lists every operation of the API reference. */
export function routesOf(app: App): Route[] {
  return Object.entries(Contract.of(app).document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method as Method,
      path,
      parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter ?? ''),
      access: operation['x-access'],
      rate: operation['x-rate-limit'],
      statuses: Object.keys(operation.responses),
    })),
  );
}

/** Fills in the parameters of a path. @throws Error if one has no value */
export function fill(path: string, values: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${path}: no value for ${name}`);
    return value;
  });
}
