export const status = 404;
