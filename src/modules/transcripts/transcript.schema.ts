import { Choice, Email, Flag, Id, Text } from '../../platform/schemas/fields.js';
import type { TranscriptFile } from './transcript-formats.js';
import type { TranscriptFormat } from './transcript.js';
import { TRANSCRIPT_FORMATS } from './transcript.js';

export class TranscriptQuery {
  @Choice(TRANSCRIPT_FORMATS, { optional: true, description: '`json` by default.' }) format?: TranscriptFormat;
}

export class MailTranscriptBody {
  @Email({ description: 'The address to mail it to.' }) email!: string;
}

const CONTENT =
  'The content of the file. In JSON it is `{number, desk, timezone, complete, messages: [{at, sender_type, sender, ' +
  'private, content, files, attachments, event}]}`: `files` has the names of the files of a message, and `attachments` ' +
  'their `{id, name, size, content_type}`.';

export class TranscriptView implements TranscriptFile {
  @Choice(TRANSCRIPT_FORMATS) format!: TranscriptFormat;
  @Text({ min: 0, max: 20_000_000, description: CONTENT, example: 'Conversation #12 with …' })
  content!: string;
  @Text({ example: 'conversation-12.txt' }) filename!: string;
}

export class TranscriptMailedView {
  @Id() conversation_id!: string;
  @Flag({ description: 'Always true: the mail is on its way.' }) mailed!: boolean;
}
