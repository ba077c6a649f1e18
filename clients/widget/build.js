import { bundle } from './bundle.js';

/** `npm run build:widget`. */
await bundle();
