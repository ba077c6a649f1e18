export { FollowUpsModule } from './follow-ups.module.js';
