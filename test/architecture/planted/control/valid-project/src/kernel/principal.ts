export type Principal = string;
