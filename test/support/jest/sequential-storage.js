/**
 * Takes the place of the `AsyncLocalStorage` in which jest-circus keeps the running test. Node 20 calls each one that was
 * ever used for each promise, and every spec file brings one more. Tests that run one at a time do not need it.
 */
export class SequentialStorage {
  store = undefined;

  getStore() {
    return this.store;
  }

  async run(store, callback) {
    const outer = this.store;
    this.store = store;
    try {
      return await callback();
    } finally {
      this.store = outer;
    }
  }
}
