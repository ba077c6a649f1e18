/** Does something, and says in the error of a failure what did not happen. */
export async function explainFailure<T>(whatFailed: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${whatFailed}: ${why}`, { cause: error });
  }
}
