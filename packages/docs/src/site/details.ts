/** A pointer from a chapter to the guide on its subject, which the guide itself does not need. */
const pointer = /\s*Step by step: \[[^\]]*\]\([^)]*\)(?:, \[[^\]]*\]\([^)]*\))*\./g

/** Applies `change` to the lines outside of blocks of code. */
function mapProse(markdown: string, change: (line: string) => string): string {
  let isCode = false
  const lines = markdown.split('\n').map((line) => {
    if (line.startsWith('```')) isCode = !isCode
    return isCode ? line : change(line)
  })
  return lines.join('\n')
}

/** A chapter below a heading of the guide: without its own title where it is the only one. */
function below(chapter: string, isOnly: boolean): string {
  const text = chapter.replaceAll(pointer, '')
  const named = isOnly ? text.replace(/^# .*\n+/, '') : text.replace(/^# /, '## ')
  return mapProse(named, (line) => (line.startsWith('## ') ? `#${line}` : line)).trim()
}

/** A guide, and the rules of its subject under "Details". */
export const withDetails = (guide: string, chapters: readonly string[]): string =>
  chapters.length === 0
    ? guide
    : [guide, '## Details', ...chapters.map((chapter) => below(chapter, chapters.length === 1))].join('\n\n')
