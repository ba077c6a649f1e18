export type Rows = unknown[];
