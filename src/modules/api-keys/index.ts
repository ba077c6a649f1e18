export { looksLikeApiKey } from './api-key.js';
export { ApiKeyTeardownHooks } from './api-key-teardown-hooks.js';
export { ApiKeysModule } from './api-keys.module.js';
export { ApiKeysService } from './api-keys.service.js';
