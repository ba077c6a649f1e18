export const conversations = [];
