export { BulkActionsModule } from './bulk-actions.module.js';
