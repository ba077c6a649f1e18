import { KEY_SCOPES } from '../../kernel/permission.js';
import { Id, Text, Texts, Time } from '../../platform/http/fields.js';
import type { ApiKeyRecord } from './api-key.js';

const SCOPES = ['*', ...KEY_SCOPES];
const SCOPES_DESCRIPTION = 'What the key may do; everything when absent. `members:write` counts as `*`.';

export class CreateApiKeyBody {
  @Text() name!: string;
  @Time({ optional: true, description: 'When the key ends; never when absent.' }) expires_at?: string;
  @Texts({ optional: true, maxItems: 100, values: SCOPES, description: SCOPES_DESCRIPTION })
  scopes?: string[];
}

export class ApiKeyView implements ApiKeyRecord {
  @Id() id!: string;
  @Text() name!: string;
  @Text({ example: 'svc_sk_a1B2…' }) key_prefix!: string;
  @Texts({ maxItems: 100 }) scopes!: string[];
  @Time({ nullable: true }) expires_at!: string | null;
  @Time({ nullable: true }) last_used_at!: string | null;
  @Id() created_by!: string;
  @Time() created_at!: string;
}

export class CreatedApiKeyView extends ApiKeyView {
  @Text({ pattern: /^svc_sk_[A-Za-z0-9]{32}$/, description: 'The key; shown this once.' }) key!: string;
}
