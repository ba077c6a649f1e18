/** The variables that a canned response may hold. */
export const VARIABLES = ['contact.name', 'agent.name', 'conversation.number', 'channel.name'] as const;
export type Variable = (typeof VARIABLES)[number];
export type Values = Readonly<Record<Variable, string | null>>;

export interface Rendered {
  content: string;
  /** Variables that had neither a value nor a fallback; they stay in the text as they were written. */
  missing: string[];
}

const PLACEHOLDER = /\{\{\s*([a-z_.]{1,50})\s*(?:\|([^{}]{0,200}))?\}\}/g;

/** Fills in `{{name}}` and `{{name|fallback}}`. Values are taken as they are: no value is a template again. */
export function render(template: string, values: Values): Rendered {
  const missing = new Set<string>();
  const content = template.replace(PLACEHOLDER, (whole, name: string, fallback: string | undefined) => {
    const value = isVariable(name) ? values[name] : null;
    if (value !== null && value !== '') return value;
    if (fallback !== undefined) return fallback.trim();
    missing.add(name);
    return whole;
  });
  return { content, missing: [...missing] };
}

function isVariable(name: string): name is Variable {
  return (VARIABLES as readonly string[]).includes(name);
}
