import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { imports } from '@kontor/contract'
import { ConnectionFailed } from '@kontor/client'
import type { Destination, ImportState } from './destination.ts'
import { Reasons } from './reasons.ts'

/** Columns that say which line was rejected and why; an import of the file itself ignores them. */
const added = ['_line', '_reason'] as const

/** Returns whether a column was added to the rows by the import that rejected them. */
export const isAdded = (column: string): boolean => (added as readonly string[]).includes(column)

/** Downloads the rejected rows of an import to a file of its format, and counts the reasons. */
export async function downloadRejects(
  destination: Destination,
  { _id: id, format, delimiter }: ImportState,
  path: string,
): Promise<Reasons> {
  const { rest, workspace } = destination
  const csv = (await destination.persist(() => rest.call(imports.exportRejects, { workspace, id }))).body
  if (format === 'csv' || format === 'ndjson') await writeFile(path, csv)
  else await downloadFile(destination, id, path)
  return reasonsIn(csv, delimiter ?? ',')
}

async function downloadFile(destination: Destination, id: string, path: string): Promise<void> {
  const { rest, workspace } = destination
  await destination.persist(async () => {
    const { signedUrl } = (await rest.call(imports.writeRejects, { workspace, id })).body.data
    const response = await fetch(signedUrl).catch((error: unknown) => {
      throw new ConnectionFailed(signedUrl.split('?', 1)[0] ?? '', error)
    })
    if (!response.ok || response.body === null)
      throw new ConnectionFailed(signedUrl.split('?', 1)[0] ?? '', new Error(`status ${response.status}`))
    await pipeline(Readable.from(response.body), createWriteStream(path))
  })
}

/** The last two columns are the line of a row, and why it was rejected. */
async function reasonsIn(csv: string, delimiter: string): Promise<Reasons> {
  const reasons = new Reasons()
  const rows: AsyncIterable<readonly string[]> = Readable.from([csv]).pipe(
    parse({ delimiter, from: 2, relax_column_count: true }),
  )
  for await (const cells of rows) reasons.add({ line: Number(cells.at(-2)), reason: cells.at(-1) ?? '' })
  return reasons
}
