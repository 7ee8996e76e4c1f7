import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { collection, collectionFile } from './collection.ts'
import { errorPages } from './error-pages.ts'
import { contentsOf } from './contents.ts'
import { layout } from './layout.ts'
import { movedFiles } from './moved.ts'
import { operationPage } from './operation-page.ts'
import { operations } from './operations.ts'
import { otherPages } from './other-pages.ts'
import type { Page } from './page.ts'
import { searchEntries } from './search-entries.ts'
import { searchPhrases, searchWords } from './search-words.ts'

const browser = join(import.meta.dirname, '../../browser')

const asset = (name: string): [string, string] => [`assets/${name}`, readFileSync(join(browser, name), 'utf8')]

/** The library as it is published, for browsers that load scripts. */
const minisearch = (): string =>
  readFileSync(join(dirname(createRequire(import.meta.url).resolve('minisearch')), '../umd/index.js'), 'utf8').replace(
    /\n\/\/# sourceMappingURL=.*/,
    '',
  )

const searchData = (): string =>
  `globalThis.searchData = ${JSON.stringify({ words: searchWords, phrases: searchPhrases, entries: searchEntries })}\n`

/** Every page of the site. */
export const pages: readonly Page[] = [...otherPages, ...operations.map(operationPage), ...errorPages]

const filesOf = async (page: Page): Promise<[string, string][]> => [
  [`${page.path}.html`, (await layout(page)).toString()],
  ...(page.markdown === undefined ? [] : [[`${page.path}.md`, `${page.markdown}\n`] as [string, string]]),
]

/** The whole site: the text of each file by its path. */
export const site = async (): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries([
    ...(await Promise.all(pages.map(filesOf))).flat(),
    ...movedFiles(pages),
    ...['site.css', 'site.js', 'try.js', 'moved.js', 'search.js', 'icon.svg'].map(asset),
    ['assets/minisearch.js', minisearch()],
    ['assets/search-data.js', searchData()],
    ['llms.txt', contentsOf(pages)],
    [collectionFile, JSON.stringify(collection)],
  ])
