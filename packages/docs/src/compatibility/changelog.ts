import type { Change } from './schemas.ts'

const titles = { breaking: 'Breaking', addition: 'New' } as const

/** The changes of a release as a chapter of the changelog, in Markdown; breaking ones first. */
export function chapterOf(version: string, date: string, changes: readonly Change[] | undefined): string {
  const heading = `## ${version} (${date})`
  if (changes === undefined) return `${heading}\n\nThe first release.`
  const parts = (['breaking', 'addition'] as const).flatMap((kind) => {
    const lines = changes.filter((change) => change.kind === kind).map(({ where, what }) => `- \`${where}\` ${what}`)
    return lines.length === 0 ? [] : [`### ${titles[kind]}\n\n${lines.join('\n')}`]
  })
  return [heading, ...(parts.length === 0 ? ['The API is as it was.'] : parts)].join('\n\n')
}

/** Returns whether a version has its chapter: it has been released, and another release needs another version. */
export const hasChapter = (changelog: string, version: string): boolean => changelog.includes(`\n## ${version} (`)

/** Puts a chapter before those of earlier releases. */
export function withChapter(changelog: string, chapter: string): string {
  const at = changelog.indexOf('\n## ')
  const [head, rest] = at === -1 ? [changelog, ''] : [changelog.slice(0, at), changelog.slice(at + 1)]
  return `${[head.trimEnd(), chapter, rest.trimEnd()].filter((part) => part !== '').join('\n\n')}\n`
}
