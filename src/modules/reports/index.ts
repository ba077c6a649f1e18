export { ReportRecountsService } from './report-recounts.service.js';
export { ReportsModule } from './reports.module.js';
