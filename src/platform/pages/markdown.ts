import { Marked } from 'marked';

/**
 * HTML of a document of this repository. Headings get ids, by which links name them.
 * @param addresses where the service serves what the document links to, by the link's path; other links stay as they are
 */
export function renderMarkdown(markdown: string, addresses: Record<string, string> = {}): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      // no document holds HTML of its own but comments, which are for its authors
      html: () => '',
    },
    walkTokens(token) {
      if (token.type !== 'link') return;
      const link = token as { href: string };
      const [path = '', ...anchor] = link.href.split('#');
      link.href = [addresses[path] ?? path, ...anchor].join('#');
    },
  });
  return marked.parse(markdown, { async: false, gfm: true });
}

/** The id of a heading, as GitHub makes it. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}
