/** Which of the two views of an event a socket gets. */
export type Audience = 'agent' | 'visitor';

declare const written: unique symbol;

/**
 * A frame as it goes over the wire. Only the writers of declared frames make one, so a frame that nobody has declared
 * does not compile.
 */
export type SerializedFrame = string & { readonly [written]: true };
