import { requestId } from '../http/request-id.js';

export const name = requestId;
