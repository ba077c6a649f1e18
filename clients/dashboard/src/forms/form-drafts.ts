type FormValues = Readonly<Record<string, string>>;

/** The browser asks before the page is left. */
const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/** Unsaved values of forms. They last as long as the page, which the browser does not leave without a question. */
class FormDrafts {
  private readonly drafts = new Map<string, FormValues>();

  get(name: string): FormValues | undefined {
    return this.drafts.get(name);
  }

  /** @param initial values that are not worth a question */
  change(name: string, initial: FormValues, values: FormValues): void {
    if (Object.entries(values).every(([field, value]) => value === initial[field])) return this.delete(name);
    this.drafts.set(name, values);
    this.guard();
  }

  delete(name: string): void {
    this.drafts.delete(name);
    this.guard();
  }

  /** Forgets all, such as at a sign-out. */
  clear(): void {
    this.drafts.clear();
    this.guard();
  }

  /** A page that listens needlessly is not kept by the browser for its way back. */
  private guard(): void {
    if (this.drafts.size > 0) addEventListener('beforeunload', ask);
    else removeEventListener('beforeunload', ask);
  }
}

export const formDrafts = new FormDrafts();
