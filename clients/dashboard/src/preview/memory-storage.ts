/** Storage that lasts as long as the page. The widget lists its keys by `Object.keys`. */
export class MemoryStorage {
  [key: string]: unknown;

  getItem(key: string): string | null {
    return Object.hasOwn(this, key) ? String(this[key]) : null;
  }

  setItem(key: string, value: string): void {
    this[key] = value;
  }

  removeItem(key: string): void {
    delete this[key];
  }
}
