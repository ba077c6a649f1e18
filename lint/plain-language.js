import { commentFaults, identifierFault, titleFaults } from './words.js';

/** A rule that reports each fault as its message. */
const rule = create => ({ meta: { type: 'suggestion', schema: [], messages: { fault: '{{fault}}.' } }, create });

/** Names that a file declares: of variables, parameters, functions, classes, types and their members. */
const DECLARED = [
  'VariableDeclarator > Identifier.id',
  'VariableDeclarator > ObjectPattern Property > Identifier.value',
  'VariableDeclarator > ArrayPattern > Identifier',
  ':function > Identifier.params',
  ':function > ObjectPattern.params Property > Identifier.value',
  ':function > ArrayPattern.params > Identifier',
  'FunctionDeclaration > Identifier.id',
  'TSParameterProperty Identifier',
  'ClassDeclaration > Identifier.id',
  'MethodDefinition > Identifier.key',
  'TSAbstractMethodDefinition > Identifier.key',
  'PropertyDefinition > Identifier.key',
  'TSAbstractPropertyDefinition > Identifier.key',
  'TSInterfaceDeclaration > Identifier.id',
  'TSTypeAliasDeclaration > Identifier.id',
  'TSPropertySignature > Identifier.key',
  'TSMethodSignature > Identifier.key',
  'ObjectExpression > Property > Identifier.key',
].join(', ');

const identifiers = rule(context => ({
  [DECLARED](node) {
    const fault = identifierFault(node.name);
    if (fault) context.report({ node, messageId: 'fault', data: { fault } });
  },
}));

const comments = rule(context => ({
  Program() {
    for (const comment of grouped(context.sourceCode.getAllComments())) {
      for (const fault of commentFaults(comment.value)) {
        context.report({ loc: comment.loc, messageId: 'fault', data: { fault } });
      }
    }
  },
}));

/** Line comments of neighbouring lines are one comment. */
function grouped(all) {
  const groups = [];
  for (const comment of all) {
    const last = groups.at(-1);
    const continues =
      comment.type === 'Line' &&
      last?.type === 'Line' &&
      last.end === comment.loc.start.line - 1 &&
      last.column === comment.loc.start.column;
    if (continues) {
      last.value += `\n${comment.value}`;
      last.end = comment.loc.end.line;
    } else {
      const { type, value, loc } = comment;
      groups.push({ type, value, loc, end: loc.end.line, column: loc.start.column });
    }
  }
  return groups;
}

const TEST_CALL = /^(it|test)(\.(each|only|skip|failing))*$/;

const testTitles = rule(context => ({
  CallExpression(node) {
    const callee = node.callee.type === 'CallExpression' ? node.callee.callee : node.callee;
    if (!TEST_CALL.test(context.sourceCode.getText(callee))) return;
    const [title] = node.arguments;
    if (callee === node.callee && /\.each$/.test(context.sourceCode.getText(callee))) return;
    const text = titleText(title);
    if (text === null) return;
    for (const fault of titleFaults(text)) context.report({ node: title, messageId: 'fault', data: { fault } });
  },
}));

/** @returns the title, with `%s` where it has an expression; null where it is no text */
function titleText(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked).join('%s');
  return null;
}

export default { rules: { identifiers, comments, 'test-titles': testTitles } };
