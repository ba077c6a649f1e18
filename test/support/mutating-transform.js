import { createRequire } from 'node:module';

/**
 * The transformer of the tests, with one line of the source changed on its way: `MUTATION` is JSON with `file`, `from`
 * and `to`. A lock that is taken out so, without touching a file, must turn its tests red.
 */
const { createTransformer } = createRequire(import.meta.url)('@swc/jest');
const swc = createTransformer();
const mutation = JSON.parse(process.env.MUTATION ?? 'null');

function mutated(source, file) {
  if (!mutation || !file.endsWith(mutation.file)) return source;
  if (source.split(mutation.from).length !== 2) throw new Error(`${mutation.file} has not one ${mutation.from}`);
  return source.replace(mutation.from, () => mutation.to);
}

export default {
  canInstrument: swc.canInstrument,
  process: (source, file, options) => swc.process(mutated(source, file), file, options),
  processAsync: (source, file, options) => swc.processAsync(mutated(source, file), file, options),
  getCacheKey: (source, file, options) => swc.getCacheKey(mutated(source, file), file, options),
};
