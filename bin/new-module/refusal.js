/** An expected error. It is printed as one line, without a stack trace. */
export class Refusal extends Error {}
