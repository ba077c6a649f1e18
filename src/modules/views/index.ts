export type { OwnViewChange } from './own-view-hooks.js';
export { OwnViewHooks } from './own-view-hooks.js';
export { ViewsModule } from './views.module.js';
