/** Loaded with `node --import`: makes dates run 60 times as fast, so that a token of 15 minutes ends after 15 seconds. */
const FACTOR = 60;
const RealDate = Date;
const start = RealDate.now();
const now = () => Math.round(start + (RealDate.now() - start) * FACTOR);
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }
  static now() {
    return now();
  }
};
