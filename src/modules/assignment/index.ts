export { AssignmentModule } from './assignment.module.js';
export { MemberLoadsRepairService } from './member-loads-repair.service.js';
