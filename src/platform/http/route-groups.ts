import type { RequestHandler, Router } from 'express';
import express from 'express';

const STATIC = /^[a-z0-9_-]+$/;
const PARAMETER = /^:\w+$/;

/**
 * The routes of the API, sorted by what a path shows at once: how many parts it has, and which the second one is. express
 * tries one route after the other, a hundred of them by regular expression for a single request. Here it tries those of
 * one group, by itself as ever: a group only leaves out routes that the path cannot be of.
 */
export class RouteGroups {
  private readonly groups = new Map<string, Router>();

  /** Those of the group, in the order in which they were added. */
  get routers(): Router[] {
    return [...this.groups.values()];
  }

  /** Where such a route belongs; undefined for one that is not of the API, or says more than names and parameters. */
  groupOf(path: unknown): Router | undefined {
    if (typeof path !== 'string') return undefined;
    const [nothing, version, noun = '', ...rest] = path.split('/');
    const plain = nothing === '' && version === 'v1' && STATIC.test(noun);
    if (!plain || !rest.every(part => STATIC.test(part) || PARAMETER.test(part))) return undefined;
    const key = keyOf(path);
    let group = this.groups.get(key);
    if (!group) this.groups.set(key, (group = express.Router()));
    return group;
  }

  /** OPTIONS is nobody's route; a router that has others at the path would answer it. */
  readonly handle: RequestHandler = (request, response, next) => {
    const group = request.method === 'OPTIONS' ? undefined : this.groups.get(keyOf(request.path));
    if (group) group(request, response, next);
    else next();
  };
}

const SLASH = 47;

/** As a router reads it: neither case nor one slash at the end makes another path. */
function keyOf(path: string): string {
  const end = path.length > 1 && path.charCodeAt(path.length - 1) === SLASH ? path.length - 1 : path.length;
  let parts = 0;
  let [from, to] = [end, end];
  for (let index = 0; index < end; index += 1) {
    if (path.charCodeAt(index) !== SLASH) continue;
    parts += 1;
    if (parts === 2) from = index + 1;
    else if (parts === 3) to = index;
  }
  return `${parts} ${path.slice(from, to).toLowerCase()}`;
}
