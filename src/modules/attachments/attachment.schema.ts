import { Id, Integer, Text, Time } from '../../platform/schemas/fields.js';
import type { AttachmentRecord } from './attachment-urls.service.js';

const URL = 'https://support.example/files/01890a5d-ac96-774b-bcce-b302099a8057/parcel.jpg?…';
const optional = true;

export class AttachmentView implements AttachmentRecord {
  @Id() id!: string;
  @Text({ example: 'parcel.jpg' }) name!: string;
  @Text({ example: 'image/jpeg', description: 'Detected by the content, not by the name.' }) content_type!: string;
  @Integer({ min: 0, description: 'In bytes.' }) size!: number;
  @Text({ max: 4096, example: URL, description: 'Opens the file until `expires_at`, for anybody who has it.' })
  url!: string;
  @Time() expires_at!: string;
  @Integer({ optional, min: 1, description: 'Of an image, in pixels.' }) width?: number;
  @Integer({ optional, min: 1, description: 'Of an image, in pixels.' }) height?: number;
  @Text({ optional, max: 4096, example: URL, description: 'A small version of an image.' }) thumbnail_url?: string;
}
