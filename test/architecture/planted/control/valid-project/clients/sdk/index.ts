export const connect = () => undefined;
