export { isAcceptablePassword, PASSWORD_RULE } from './password.js';
export { HashCapacityGuard } from './hash-capacity.guard.js';
export type { User } from './user.js';
export { EmailTaken } from './users.errors.js';
export { UsersModule } from './users.module.js';
export { UsersService } from './users.service.js';
