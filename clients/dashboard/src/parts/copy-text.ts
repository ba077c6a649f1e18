/** Copies a text. @throws Error without HTTPS, where there is no clipboard, or without permission */
export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
