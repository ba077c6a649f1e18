/** JSON of a document. Loosely typed, because tests check the finished document. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}
