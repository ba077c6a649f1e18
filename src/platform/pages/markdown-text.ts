/** A Markdown page: its title and its paragraphs. */
export function markdownPage(title: string, ...paragraphs: string[]): string {
  return [`# ${title}`, ...paragraphs].join('\n\n') + '\n';
}

/** A Markdown table. Bars within cells are escaped, line breaks become spaces. */
export function markdownTable(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
