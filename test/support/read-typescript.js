import { register } from 'node:module';

/** Registers the TypeScript hooks. Load it with `node --import`, or import it before the first TypeScript module. */
register('./typescript.js', import.meta.url);
