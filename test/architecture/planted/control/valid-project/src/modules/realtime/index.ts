export { realtime } from './realtime.service.js';
