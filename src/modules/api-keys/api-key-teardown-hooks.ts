import { Injectable } from '@nestjs/common';
import { TeardownHooks } from '../../kernel/teardown-hooks.js';
import type { ApiKey } from './api-key.js';

/** Hooks that run when a key is revoked with its sessions: they end the sessions that it opened. */
@Injectable()
export class ApiKeyTeardownHooks extends TeardownHooks<ApiKey> {}
