export { TranscriptsModule } from './transcripts.module.js';
