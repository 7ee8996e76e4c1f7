import { introduction } from './guides.ts'
import type { Page } from './page.ts'

const parts = [
  ['Guides', 'guides/'],
  ['Reference', 'reference/'],
  ['Errors', 'errors'],
  ['Events', 'events'],
  ['Workflow blocks', 'blocks'],
] as const

const line = ({ path, title, summary }: Page): string => `- [${title}](${path}.md): ${summary.replaceAll('\n', ' ')}`

/** `llms.txt`: what there is to read as Markdown, as https://llmstxt.org has it. */
export function contentsOf(pages: readonly Page[]): string {
  const sections = parts.map(([title, folder]) => {
    const within = pages.filter(({ path }) => path.startsWith(folder) && path !== `${folder}index`)
    return `## ${title}\n\n${within.map(line).join('\n')}`
  })
  return `${['# Kontor', `> ${introduction.replaceAll('\n', ' ')}`, ...sections].join('\n\n')}\n`
}
