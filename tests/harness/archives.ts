import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import type { Json } from './http.ts'
import { scratchFolder } from './scratch.ts'

export type Entries = Readonly<Record<string, string>>

/** Writes a zip archive with these entries. */
export async function archiveOf(entries: Entries): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, text] of Object.entries(entries)) zip.addBuffer(Buffer.from(text), name)
  zip.end()
  return buffer(zip.outputStream)
}

/** Saves bytes under a name of their own. */
export async function saved(bytes: Buffer | string, name = 'bundle.zip'): Promise<string> {
  const path = join(await scratchFolder(), name)
  await writeFile(path, bytes)
  return path
}

const sums = (text: string): Json => ({
  bytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
})

/** The entries of a bundle with one of them changed, and a manifest that fits them. */
export function withTable(entries: Entries, name: string, text: string): Entries {
  const manifest = JSON.parse(entries['manifest.json']!)
  const rows = text.split('\n').filter(Boolean).length
  const tables = manifest.tables.map((one: Json) => (one.name === name ? { name, rows, ...sums(text) } : one))
  return { ...entries, [`${name}.ndjson`]: text, 'manifest.json': JSON.stringify({ ...manifest, tables }) }
}
