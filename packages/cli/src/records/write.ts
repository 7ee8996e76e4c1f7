import { once } from 'node:events'
import { printJson, say } from '../output.ts'
import type { Page } from './list.ts'
import { formatTable } from './table.ts'

/** Waits for a slow reader, so that a long list takes no memory. */
async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

/** One record a line. */
export async function writeLines(pages: AsyncIterable<Page>): Promise<void> {
  for await (const { data } of pages) await write(data.map((record) => `${JSON.stringify(record)}\n`).join(''))
}

/** The API's own envelope: the data of all pages, the links from the first page back and from the last one on. */
export async function writeJson(pages: AsyncIterable<Page>): Promise<void> {
  let first: Page | undefined
  let last: Page | undefined
  for await (const page of pages) {
    first ??= page
    await write(
      `${last === undefined ? '{"data":[' : ','}\n${page.data.map((record) => JSON.stringify(record)).join(',\n')}`,
    )
    last = page
  }
  if (first === undefined || last === undefined) return printJson({ data: [] })
  const links = { next: last.links.next, prev: first.links.prev }
  await write(`\n],\n"meta":${JSON.stringify(first.meta)},\n"links":${JSON.stringify(links)}}\n`)
}

/** A table for people; wide columns are cut to the terminal. */
export async function printPage(
  pages: AsyncIterable<Page>,
  columns: readonly string[] | undefined,
  leading: readonly string[] = ['id'],
): Promise<void> {
  let shown = 0
  let total = 0
  let isFirst = true
  let chosen = columns
  for await (const { data, meta } of pages) {
    const table = formatTable(data, chosen, {
      width: process.stdout.isTTY ? process.stdout.columns : undefined,
      header: isFirst,
      leading,
    })
    if (data.length > 0) await write(table.text)
    chosen = table.columns
    isFirst = false
    shown += data.length
    total = meta.total_records ?? shown
  }
  say(
    shown === total
      ? `${total.toLocaleString('en')} in all.`
      : `${shown.toLocaleString('en')} of ${total.toLocaleString('en')}; --limit or --all shows more.`,
  )
}
