import type { INestApplication } from '@nestjs/common';
import { ConversationRecordView } from './modules/conversations/conversation.schema.js';
import * as frameShapes from './modules/realtime/frames.schema.js';
import type { ApiDocument } from './platform/openapi/document.js';
import { writeDocument } from './platform/openapi/document.js';

/** Builds the OpenAPI document of this application, including the schemas of socket frames. */
export function apiDocument(app: INestApplication): ApiDocument {
  return writeDocument(app, [...Object.values(frameShapes), ConversationRecordView]);
}
