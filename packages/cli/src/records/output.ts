import { InvalidArgumentError } from 'commander'
import { UsageError } from '../errors.ts'
import type { Page } from './list.ts'
import { printPage, writeJson, writeLines } from './write.ts'

export type OutputOptions = { readonly columns?: readonly string[]; readonly json?: true; readonly ndjson?: true }

export function parseLimit(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 1 or greater.')
  return Number(text)
}

/** Pages in the form that was asked for; a table begins with the `leading` columns. */
export async function output(
  pages: AsyncGenerator<Page>,
  { json, ndjson, columns }: OutputOptions,
  leading?: readonly string[],
): Promise<void> {
  if (json && ndjson) throw new UsageError('Use --json or --ndjson, not both.')
  if (ndjson) return writeLines(pages)
  return json ? writeJson(pages) : printPage(pages, columns, leading)
}
