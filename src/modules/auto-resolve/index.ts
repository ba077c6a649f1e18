export { AutoResolveModule } from './auto-resolve.module.js';
