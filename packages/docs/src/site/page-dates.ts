import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from './page.ts'

/** The committed file with a line for each page: its path, a digest of its text, and the day of its last change. */
export const pageDatesFile = 'page-dates.txt'

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12)

const keyOf = ({ path, markdown = '' }: Page): string => `${path} ${digestOf(markdown)}`

/**
 * Dates by path and digest. Branches that merge may leave two lines for a page; only that of the text it has counts.
 */
const known: ReadonlyMap<string, string> = new Map(
  readFileSync(join(import.meta.dirname, '../..', pageDatesFile), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, key, date] = /^(\S+ [0-9a-f]{12}) (\d{4}-\d{2}-\d{2})$/.exec(line) ?? []
      return key === undefined || date === undefined ? [] : [[key, date] as const]
    }),
)

/** Returns the day on which the text of a page last changed; undefined until `build` has recorded it. */
export const dateOf = (page: Page): string | undefined => known.get(keyOf(page))

/** Returns the file of the dates: pages whose text has changed since the last build get `today`. */
export const pageDates = (pages: readonly Page[], today: string): string =>
  pages
    .filter(({ markdown }) => markdown !== undefined)
    .map((page) => `${keyOf(page)} ${dateOf(page) ?? today}\n`)
    .toSorted()
    .join('')
