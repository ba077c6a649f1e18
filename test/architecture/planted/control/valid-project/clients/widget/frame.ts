import { connect } from '../sdk/index.js';
import { icon } from '../ui/icon.jsx';

export const frame = [connect, icon];
