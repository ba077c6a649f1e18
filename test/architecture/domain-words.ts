import ts from 'typescript';

const DOMAIN = 'agent|assignee|attachment|bot|channel|contact|conversation|inbox|invite|member|visitor|webhook|widget';
const domainWord = new RegExp(`^(?:${DOMAIN})s?$`);

/** Texts in which platform may use a word of the domain, by file in `src/platform/`. */
export const exceptions: { file: RegExp; text: RegExp; why: string }[] = [
  {
    file: /^/,
    text: /\b(?:channel|conversation|contact)(?:_i|I)ds?\b/g,
    why: 'The event log routes by these keys, and rows are visible by them.',
  },
  {
    file: /^database\//,
    text: /^visitor$|\bcaller(?:Contact|Channels)\b/g,
    why: 'Which rows are visible depends on the principal.',
  },
  { file: /^erasure\//, text: /^(?:contact|conversation)$/g, why: 'Subjects of an erasure are keys of the event log.' },
  { file: /^/, text: /\buser[ _-]agents?\b/gi, why: 'HTTP calls the client so.' },
  {
    file: /^outbound\/signed-headers\.ts$/,
    text: /^webhook-(?:id|timestamp|signature)$/g,
    why: 'Standard Webhooks names its headers so.',
  },
  { file: /^asyncapi\//, text: /#\/channels\//g, why: 'AsyncAPI calls a socket so.' },
  { file: /^openapi\//, text: /^contact$/g, why: 'OpenAPI calls the publisher so.' },
];

/** Returns the string literals of a file that contain a word of the domain. @param file its path in `src/platform/` */
export function domainTexts(file: string, source: string): string[] {
  return textsOf(source).filter(text => wordsOf(withoutExceptions(file, text)).some(word => domainWord.test(word)));
}

/** Returns the texts of all string literals and templates, but not of imports. */
export function textsOf(source: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      texts.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest));
  return texts;
}

function withoutExceptions(file: string, text: string): string {
  const allowed = exceptions.filter(exception => exception.file.test(file));
  return allowed.reduce((rest, exception) => rest.replace(exception.text, ''), text);
}

function wordsOf(text: string): string[] {
  const separated = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2');
  return separated.toLowerCase().split(/[^a-z]+/);
}
