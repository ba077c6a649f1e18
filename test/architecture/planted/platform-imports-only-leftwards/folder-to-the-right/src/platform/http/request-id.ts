export const requestId = 'x';
