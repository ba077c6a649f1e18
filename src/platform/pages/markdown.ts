import { Marked } from 'marked';

/**
 * Renders a document of this repository as HTML. Headings get ids for links.
 * @param linkTargets served paths by the path of a link; other links stay unchanged
 */
export function renderMarkdown(markdown: string, linkTargets: Record<string, string> = {}): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      // the only HTML in the documents is comments for their authors
      html: () => '',
    },
    walkTokens(token) {
      if (token.type !== 'link') return;
      const link = token as { href: string };
      const [path = '', ...anchor] = link.href.split('#');
      link.href = [linkTargets[path] ?? path, ...anchor].join('#');
    },
  });
  return marked.parse(markdown, { async: false, gfm: true });
}

/** Returns the id of a heading, in GitHub's form. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}
