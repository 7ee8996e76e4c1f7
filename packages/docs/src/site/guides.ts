import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLinePage, serverCommandsPage } from './command-line-page.ts'
import { document } from './document.ts'
import { fieldTypesPage } from './field-types-page.ts'
import { anchorOf } from './page.ts'
import { standardObjectsPage } from './standard-objects-page.ts'

/** A chapter, as Markdown that begins with its title. */
export type Guide = { readonly name: string; readonly title: string; readonly markdown: string }

const pages = join(import.meta.dirname, '../../pages')

/** The chapter on errors is one of the reference. */
const inReference = 'errors'

/** Where each page stands; its name is its file's. */
const groups: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  { title: 'Begin', names: ['start'] },
  {
    title: 'Work with data',
    names: [
      'standard-objects',
      'field-types',
      'write-records',
      'find-records',
      'link-records',
      'use-lists',
      'change-schemas',
      'share',
      'comment',
      'files',
      'meetings',
    ],
  },
  { title: 'Automate', names: ['receive-webhooks', 'workflows', 'campaigns', 'e-mail', 'agents', 'mcp'] },
  {
    title: 'Build on it',
    names: [
      'browser-app',
      'tanstack-query',
      'connect-an-app',
      'generated-clients',
      'command-line',
      'versions',
      'changelog',
    ],
  },
  { title: 'Run a server', names: ['self-host', 'operation', 'sign-in', 'server-commands', 'data-and-deletion'] },
]

const titleOf = (markdown: string): string => /^# (.*)$/m.exec(markdown)?.[1] ?? ''

/** A line that begins with one # and stands in no block of code. */
function chaptersOf(markdown: string): string[] {
  const chapters: string[][] = [[]]
  let isCode = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    if (!isCode && line.startsWith('# ')) chapters.push([])
    chapters.at(-1)?.push(line)
  }
  return chapters.map((lines) => lines.join('\n').trim())
}

const [before = '', ...chapters] = chaptersOf(document.info.description)

/** What the reference says before its first chapter. */
export const introduction = before

/** The chapters of the reference: how the API works. */
const concepts: readonly Guide[] = chapters.map((markdown) => ({
  name: anchorOf(titleOf(markdown)),
  title: titleOf(markdown),
  markdown,
}))

/** Pages that are made of what a server or a command has answered. */
const generated: Readonly<Record<string, string>> = {
  'standard-objects': standardObjectsPage,
  'field-types': fieldTypesPage,
  'command-line': commandLinePage,
  'server-commands': serverCommandsPage,
}

function howTo(name: string): Guide {
  const markdown = generated[name] ?? readFileSync(join(pages, `${name}.md`), 'utf8').trim()
  return { name, title: titleOf(markdown), markdown }
}

type GuideGroup = { readonly title: string; readonly guides: readonly Guide[] }

const [begin, ...howTos] = groups.map(({ title, names }): GuideGroup => ({ title, guides: names.map(howTo) }))

/** What to do first, how the API works, and what is to be done with it, step by step. */
export const guideGroups: readonly GuideGroup[] = [
  ...(begin === undefined ? [] : [begin]),
  { title: 'How it works', guides: concepts },
  ...howTos,
]

const grouped = groups.flatMap(({ names }) => names)
const forgotten = readdirSync(pages)
  .map((file) => file.replace(/\.md$/, ''))
  .filter((name) => name !== inReference && !grouped.includes(name))
if (forgotten.length > 0) throw new Error(`in no group of guides: ${forgotten.join(', ')}`)

export const guides: readonly Guide[] = guideGroups.flatMap((group) => group.guides)
