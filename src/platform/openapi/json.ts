/** JSON of a document; loosely typed, for what is written out is checked as a whole. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}
