import type * as node from './node-web-socket.js';

/** Takes the place of `node-web-socket` in pages: bundlers follow the field `browser` of package.json. */
export const importNodeWebSocket: typeof node.importNodeWebSocket = () => Promise.resolve(undefined);

export const showsRefusals: typeof node.showsRefusals = () => false;

export const watchRefusal: typeof node.watchRefusal = () => undefined;

export const terminate: typeof node.terminate = socket => socket.close();
