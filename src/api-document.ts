import type { INestApplication } from '@nestjs/common';
import { ConversationRecordView } from './modules/conversations/conversation.schema.js';
import * as frameShapes from './modules/realtime/frames.schema.js';
import type { ApiDocument } from './platform/openapi/document.js';
import { writeDocument } from './platform/openapi/document.js';

/** The API reference of this application, shapes of frames included. */
export function apiDocument(app: INestApplication): ApiDocument {
  return writeDocument(app, [...Object.values(frameShapes), ConversationRecordView]);
}
