export { AwayModule } from './away.module.js';
