export const clock = Date;
