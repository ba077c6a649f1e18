import type { INestApplication } from '@nestjs/common';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import type { Access } from '../access/access.decorator.js';
import { ACCESS } from '../access/access.decorator.js';

/** A route that accepts API keys alone. */
export interface BackendRoute {
  method: string;
  /** Matches the paths that the router gives to this route. */
  pattern: RegExp;
}

/** Finds the routes below the prefix that accept API keys alone. */
export function backendRoutes(app: INestApplication, prefix: string): BackendRoute[] {
  const reflector = app.get(Reflector);
  const controllers = [...app.get(ModulesContainer).values()].flatMap(module => [...module.controllers.values()]);
  return controllers.flatMap(({ metatype: controller }) => {
    if (typeof controller !== 'function') return [];
    const prototype = controller.prototype as Record<string, () => unknown>;
    return new MetadataScanner().getAllMethodNames(prototype).flatMap(name => {
      const handler = prototype[name];
      const access = handler && reflector.getAllAndOverride<Access | undefined>(ACCESS, [handler, controller]);
      if (!access || access.public || access.kinds.some(kind => kind !== 'api_key')) return [];
      const method = RequestMethod[reflector.get<RequestMethod>(METHOD_METADATA, handler)];
      const paths = [controller, handler].map(part => reflector.get<string>(PATH_METADATA, part));
      return [{ method, pattern: patternOf([prefix, ...paths]) }];
    });
  });
}

/** Ignores case and a trailing slash, as the router does. */
function patternOf(paths: string[]): RegExp {
  const parts = paths.flatMap(path => path.split('/')).filter(part => part !== '');
  const pattern = parts.map(part => (part.startsWith(':') ? '[^/]+' : part.replace(/[^\w-]/g, String.raw`\$&`)));
  return new RegExp(`^/${pattern.join('/')}/?$`, 'i');
}
