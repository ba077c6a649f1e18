import { connect } from '../sdk/index.js';

export const frame = connect;
