export type Hub = Set<unknown>;
