export const closed = new Set(['/v1/workspace/members']);
