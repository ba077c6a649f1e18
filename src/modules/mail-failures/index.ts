export { MailFailuresModule } from './mail-failures.module.js';
