/** A value as code in a cell of a table. */
export const inCell = (value: unknown): string => `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``

/** A table in Markdown. */
export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
