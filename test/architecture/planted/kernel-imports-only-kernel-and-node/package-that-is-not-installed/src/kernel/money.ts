import { big } from 'no-such-package';

export const money = big;
