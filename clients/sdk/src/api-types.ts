/** Types of requests and responses by path, taken from the API description. */
import type { paths } from './generated/openapi.js';

type Path = keyof paths;
type Json<Body> = { content: { 'application/json': Body } };
type Request<Body> = { requestBody?: Json<Body> };
type Data<Responses> = Responses extends Json<{ data: infer D }> ? D : never;

export type Post<P extends Path> = paths[P] extends { post: Request<infer Body extends object> } ? Body : never;
export type Patch<P extends Path> = paths[P] extends { patch: Request<infer Body extends object> } ? Body : never;
export type Query<P extends Path> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? NonNullable<Q>
  : never;
export type Got<P extends Path> = paths[P] extends { get: { responses: { 200: infer R } } } ? Data<R> : never;
export type Created<P extends Path> = paths[P] extends { post: { responses: { 201: infer R } } } ? Data<R> : never;

/** The path of one row of a collection. */
type Row<P extends Path> = Extract<Path, `${P}/{id}`>;

/** Collections whose rows can be listed, created, read, changed and deleted. */
export type Collection = {
  [P in Path]: paths[P] extends { get: object; post: object }
    ? paths[Row<P>] extends { get: object; patch: object; delete: object }
      ? P
      : never
    : never;
}[Path];
export type RowOf<P extends Collection> = Got<Row<P>>;
export type ChangeOf<P extends Collection> = Patch<Row<P>>;
