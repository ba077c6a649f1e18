import { statement } from './sql.service.js';

/** Locks a workspace's row until the unit of work ends, so that what is counted of it next stays right until then. */
export const LOCK_WORKSPACE = statement('SELECT id FROM workspace WHERE id = $1 FOR NO KEY UPDATE');
