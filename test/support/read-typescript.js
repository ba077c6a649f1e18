import { register } from 'node:module';

/** For `node --import`, and to be imported before the first module in TypeScript. */
register('./typescript.js', import.meta.url);
