const { env } = process;

export const url = env.DATABASE_URL;
