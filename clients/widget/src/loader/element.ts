/** Adds an element to a parent, with properties. Never markup, which the Trusted Types of a page may forbid. */
export function addElement<Name extends keyof HTMLElementTagNameMap>(
  parent: ParentNode,
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  parent.append(element);
  return element;
}
