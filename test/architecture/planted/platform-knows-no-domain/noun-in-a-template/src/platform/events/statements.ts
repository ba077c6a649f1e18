export const statement = (limit: number) => `SELECT payload FROM inboxEvents LIMIT ${limit}`;
