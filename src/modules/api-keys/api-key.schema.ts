import { KEY_SCOPES } from '../../kernel/permission.js';
import { Choice, Id, Text, Texts, Time } from '../../platform/schemas/fields.js';
import type { ApiKeyRecord } from './api-key.js';

const SCOPES = ['*', ...KEY_SCOPES];
const SCOPES_DESCRIPTION =
  'Scopes of the key. Defaults to `*`, all scopes. `members:write`, `invites:write`, `sso:write`, `webhooks:write` and ' +
  '`bots:write` count as `*`. The first three sign in as any member; the others send all messages to another server.';

export class CreateApiKeyBody {
  @Text({ example: 'Shop backend' }) name!: string;
  @Time({ optional: true, description: 'When the key expires. Defaults to never.', example: '2030-01-31T00:00:00Z' })
  expires_at?: string;
  @Texts({ optional: true, maxItems: 100, values: SCOPES, description: SCOPES_DESCRIPTION })
  scopes?: string[];
}

export class RevokeApiKeyQuery {
  @Choice(['true', 'false'], { optional: true, description: 'Also end the sessions that the key opened.' })
  end_sessions?: 'true' | 'false';
}

export class ApiKeyView implements ApiKeyRecord {
  @Id() id!: string;
  @Text({ example: 'Shop backend' }) name!: string;
  @Text({ example: 'svc_sk_a1B2…' }) key_prefix!: string;
  @Texts({ maxItems: 100 }) scopes!: string[];
  @Time({ nullable: true }) expires_at!: string | null;
  @Time({ nullable: true }) last_used_at!: string | null;
  @Id() created_by!: string;
  @Time() created_at!: string;
}

export class CreatedApiKeyView extends ApiKeyView {
  @Text({
    pattern: /^svc_sk_[A-Za-z0-9]{32}$/,
    description: 'The key. Shown only once.',
    example: 'svc_sk_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6',
  })
  key!: string;
}
