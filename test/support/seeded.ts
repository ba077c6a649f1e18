/** Numbers in [0, 1) that are the same for the same seed: a race that fails can be run again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Some milliseconds below `most`, drawn from the numbers. */
export function shortWait(random: () => number, most: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, random() * most));
}
