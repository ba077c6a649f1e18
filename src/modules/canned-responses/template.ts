/** Variables that a canned response may contain. */
const VARIABLES = ['contact.name', 'agent.name', 'conversation.number', 'channel.name'] as const;
type Variable = (typeof VARIABLES)[number];
export type Values = Readonly<Record<Variable, string | null>>;

export interface Rendered {
  content: string;
  /** Variables without a value or fallback. They stay in the text as written. */
  missing: string[];
}

const PLACEHOLDER = /\{\{\s*([a-z_.]{1,50})\s*(?:\|([^{}]{0,200}))?\}\}/g;

/** Replaces `{{name}}` and `{{name|fallback}}`. A value that itself contains `{{…}}` is not expanded. */
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
