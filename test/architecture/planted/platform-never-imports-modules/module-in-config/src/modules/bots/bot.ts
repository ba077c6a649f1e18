export const formats = [];
