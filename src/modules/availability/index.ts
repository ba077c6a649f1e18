export { AvailabilityModule } from './availability.module.js';
export type { Availability } from './availability.service.js';
export { AvailabilityService } from './availability.service.js';
export { ReplyTimesService } from './reply-times.service.js';
