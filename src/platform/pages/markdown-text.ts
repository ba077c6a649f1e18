/** Builds a Markdown page from a title and paragraphs. */
export function markdownPage(title: string, ...paragraphs: string[]): string {
  return [`# ${title}`, ...paragraphs].join('\n\n') + '\n';
}

/** Builds a Markdown table. Bars in cells are escaped, and line breaks become spaces. */
export function markdownTable(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
