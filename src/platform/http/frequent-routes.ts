import type { Application } from 'express';

/**
 * Moves the routes of these paths in front of all others. Express compares a request with one route after the other, and
 * a hundred comparisons take 15 µs.
 *
 * No other route may match the paths, because the first match answers.
 * @param paths as the routes have them, e.g. `/v1/conversations/:conversation_id/messages`
 * @throws Error for a path without a route
 */
export function matchFirst(app: Application, paths: readonly string[]): void {
  const { stack } = app.router;
  const frequent = paths.flatMap(path => {
    const layers = stack.filter(({ route }) => route?.path === path);
    if (layers.length === 0) throw new Error(`there is no route for ${path}`);
    return layers;
  });
  const first = stack.findIndex(({ route }) => route !== undefined);
  const others = stack.slice(first).filter(layer => !frequent.includes(layer));
  stack.splice(first, stack.length, ...frequent, ...others);
}
