export type { AuditEntryRecord } from './audit-entry.js';
export { AuditModule } from './audit.module.js';
