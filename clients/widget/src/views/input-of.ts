/** Stops the browser from sending a form. @returns its field of that name */
export function inputOf(event: SubmitEvent, name: string): HTMLInputElement {
  event.preventDefault();
  return (event.currentTarget as HTMLFormElement).elements.namedItem(name) as HTMLInputElement;
}
