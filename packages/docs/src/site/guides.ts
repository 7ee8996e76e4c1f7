import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLinePage, serverCommandsPage } from './command-line-page.ts'
import { document } from './document.ts'
import { fieldTypesPage } from './field-types-page.ts'
import { withDetails } from './details.ts'
import { anchorOf } from './page.ts'
import { standardObjectsPage } from './standard-objects-page.ts'

/** A page of text, as Markdown that begins with its title. */
export type Guide = { readonly name: string; readonly title: string; readonly markdown: string }

const pages = join(import.meta.dirname, '../../pages')

/** The chapter on errors is a page of the reference. */
const inReference = 'errors'

/** Chapters of the reference that are no pages: a guide on the same subject ends with them, or replaces them. */
const chaptersOfGuides: Readonly<Record<string, readonly string[]>> = {
  'write-records': ['Creating and changing records'],
  'find-records': ['Filters, sorting and search'],
  'use-lists': ['Lists'],
  'change-schemas': ['Custom objects'],
  share: ['Access'],
  'receive-webhooks': ['Webhooks'],
  versions: ['Limits', 'Versioning'],
}
const replaced = ['Quick start', 'Errors']

/** Where each page stands; its name is its file's. */
const groups: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  { title: 'Begin', names: ['start', 'walk'] },
  {
    title: 'Work with data',
    names: [
      'standard-objects',
      'field-types',
      'write-records',
      'find-records',
      'filter-tree',
      'link-records',
      'import-data',
      'export-data',
      'move-a-workspace',
      'use-lists',
      'change-schemas',
      'share',
      'comment',
      'files',
      'meetings',
    ],
  },
  {
    title: 'Automate',
    names: ['receive-webhooks', 'workflows', 'workflow-variables', 'campaigns', 'e-mail', 'agents', 'mcp'],
  },
  {
    title: 'Build on it',
    names: [
      'typescript-client',
      'browser-app',
      'tanstack-query',
      'optimistic-updates',
      'connect-an-app',
      'generated-clients',
      'schema-as-code',
      'command-line',
      'versions',
      'changelog',
      'report-a-mistake',
    ],
  },
  {
    title: 'Run a server',
    names: [
      'self-host',
      'operation',
      'distributed-postgres',
      'sign-in',
      'accounts',
      'server-commands',
      'data-and-deletion',
    ],
  },
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

/** The text of the reference before its first chapter. */
export const introduction = before

const elsewhere = [...Object.values(chaptersOfGuides).flat(), ...replaced]

/** The other chapters of the reference: how the API works. */
const concepts: readonly Guide[] = chapters
  .map((markdown) => ({ name: anchorOf(titleOf(markdown)), title: titleOf(markdown), markdown }))
  .filter(({ title }) => !elsewhere.includes(title))

/** Pages that are made of what a server or a command has answered. */
const generated: Readonly<Record<string, string>> = {
  'standard-objects': standardObjectsPage,
  'field-types': fieldTypesPage,
  'command-line': commandLinePage,
  'server-commands': serverCommandsPage,
}

function chapterNamed(title: string): string {
  const chapter = chapters.find((one) => titleOf(one) === title)
  if (chapter === undefined) throw new Error(`the reference has no chapter "${title}"`)
  return chapter
}

function howTo(name: string): Guide {
  const guide = generated[name] ?? readFileSync(join(pages, `${name}.md`), 'utf8').trim()
  const markdown = withDetails(guide, (chaptersOfGuides[name] ?? []).map(chapterNamed))
  return { name, title: titleOf(markdown), markdown }
}

type GuideGroup = { readonly title: string; readonly guides: readonly Guide[] }

const [begin, ...howTos] = groups.map(({ title, names }): GuideGroup => ({ title, guides: names.map(howTo) }))

/** The pages of text in the order of the navigation. */
export const guideGroups: readonly GuideGroup[] = [
  ...(begin === undefined ? [] : [begin]),
  { title: 'Concepts', guides: concepts },
  ...howTos,
]

const grouped = groups.flatMap(({ names }) => names)
const forgotten = readdirSync(pages)
  .map((file) => file.replace(/\.md$/, ''))
  .filter((name) => name !== inReference && !grouped.includes(name))
if (forgotten.length > 0) throw new Error(`in no group of guides: ${forgotten.join(', ')}`)

export const guides: readonly Guide[] = guideGroups.flatMap((group) => group.guides)
