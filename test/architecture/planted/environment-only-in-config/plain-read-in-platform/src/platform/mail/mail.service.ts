export const host = process.env.SMTP_HOST;
