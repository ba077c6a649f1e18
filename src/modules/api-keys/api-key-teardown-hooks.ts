import { Injectable } from '@nestjs/common';
import { TeardownHooks } from '../../kernel/teardown-hooks.js';
import type { ApiKey } from './api-key.js';

/** What a key has made for others, and takes with it when it is revoked so: the sessions that it minted. */
@Injectable()
export class ApiKeyTeardownHooks extends TeardownHooks<ApiKey> {}
