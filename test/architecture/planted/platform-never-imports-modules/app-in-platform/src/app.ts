export const createApp = () => undefined;
