/** The audience of a frame. Each gets its own view of an event. */
export type Audience = 'agent' | 'visitor';

declare const written: unique symbol;

/**
 * A frame in its wire form. Only the functions that write declared frames return this type, so sending an undeclared
 * frame does not compile.
 */
export type SerializedFrame = string & { readonly [written]: true };
