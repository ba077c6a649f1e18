import { connect } from '../../../clients/sdk/index.js';

export const play = connect;
