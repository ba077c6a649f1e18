export const topics = [];
