export type Topic = string;
