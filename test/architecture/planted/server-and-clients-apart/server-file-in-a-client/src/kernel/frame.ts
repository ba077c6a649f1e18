export type Frame = string;
