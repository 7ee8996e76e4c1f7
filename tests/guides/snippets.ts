import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** A block of code of a page: what stands behind its fence, and what is in it. */
export type Snippet = { readonly language: string; readonly text: string }

const docs = fileURLToPath(new URL('../../packages/docs', import.meta.url))
const pages = join(docs, 'pages')

/** The names of the guides. */
export const guideNames: readonly string[] = readdirSync(pages).map((file) => file.replace(/\.md$/, ''))

/** All blocks of code in a text, in their order. */
const blocksOf = (markdown: string): Snippet[] =>
  [...markdown.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({ language, text }))

const document = z.object({ info: z.object({ description: z.string() }) })

/** All blocks of code of the chapters of the reference. */
export const chapterSnippets: readonly Snippet[] = blocksOf(
  document.parse(JSON.parse(readFileSync(join(docs, 'openapi.json'), 'utf8'))).info.description,
)

/** All blocks of code of a guide. */
export const snippetsOf = (guide: string): Snippet[] => blocksOf(readFileSync(join(pages, `${guide}.md`), 'utf8'))

/** The languages of the tabs beside the commands for curl. */
export const tabLanguages = ['ts', 'python', 'cli'] as const

export type TabLanguage = (typeof tabLanguages)[number]

/**
 * The tabs of a guide in a language, as one program; empty if it has none. Programs that wait for a person in a browser
 * are `tab no-run`.
 */
export const tabsOf = (guide: string, language: TabLanguage, kind: 'tab' | 'tab no-run' = 'tab'): string =>
  snippetsOf(guide)
    .filter((snippet) => snippet.language === `${language} ${kind}`)
    .map(({ text }) => text)
    .join('\n')

/** A program, which is saved and not typed. */
export const isProgram = ({ language }: Snippet): boolean => language === 'ts'

/** Where a program is saved: its first line says so. */
export function nameOf({ text }: Snippet): string {
  const [, name] = /^\/\/ ((?:examples|clients)\/[\w.-]+\.ts)\n/.exec(text) ?? []
  if (name === undefined) throw new Error(`the first line of a program says where to save it: ${text.split('\n')[0]}`)
  return name
}

/** Returns whether a reader runs the snippet: the commands, and the programs that they run. */
export const isRun = (snippet: Snippet): boolean => isProgram(snippet) || ['sh', 'bash'].includes(snippet.language)
