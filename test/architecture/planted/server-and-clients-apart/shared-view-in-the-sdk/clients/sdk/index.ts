import { icon } from '../ui/icon.jsx';

export const connect = icon;
