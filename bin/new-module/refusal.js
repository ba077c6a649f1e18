/** Why there will be no module; said in one line, without a stack. */
export class Refusal extends Error {}
