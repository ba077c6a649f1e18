/** An error after which another attempt would be in vain. */
export type FinalError = Error & { isFinal?: boolean };

/** Repeats work that fails, after each of the waits (ms, with jitter). @throws the error of the last attempt */
export async function retry<T>(work: (attempt: number) => Promise<T>, waits: number[]): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      const wait = waits[attempt];
      if (!wait || (error as FinalError).isFinal) throw error;
      await new Promise(resolve => setTimeout(resolve, wait * (0.5 + Math.random() / 2)));
    }
  }
}
