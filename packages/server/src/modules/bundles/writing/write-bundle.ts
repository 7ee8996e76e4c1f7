import { adminSettings, version, type WorkspaceSettings } from '@kontor/contract'
import { listRowLines, type CopiedTable } from '../../../db/copied-tables.ts'
import { migrations } from '../../../db/migrations/index.ts'
import type { Database, ReadTx } from '../../../db/tx.ts'
import type { FileStorage } from '../../files/index.ts'
import { bytesOf } from '../../../lib/bytes-of.ts'
import { defined, memberOf, textOf } from '../../../lib/guards.ts'
import { bundleFormat, bundleVersion, fileEntry, manifestName, tableEntry, type Manifest } from '../manifest.ts'
import { findBundledWorkspace, isSchemaChanging, listMembers } from '../store.ts'
import { bundledTables } from '../tables.ts'
import type { ArchiveWriter } from '../../../lib/archive-writer.ts'

/** A change of schemas is being prepared: its records are between two forms. */
export class SchemaChanging extends Error {
  override readonly name = 'SchemaChanging'
}

type Writing = {
  readonly database: Database
  readonly storage: FileStorage
  readonly workspaceId: string
  readonly now: number
  /** Called after each portion, with the number of rows and files in it. */
  readonly onProgress: (steps: number) => Promise<void>
}

/** Writes a workspace as an archive, of one state of the database; the bytes of its files follow after it. */
export async function writeBundle(archive: ArchiveWriter, writing: Writing): Promise<Manifest> {
  let hasBegun = false
  const fileIds: string[] = []
  const rows = await writing.database.reader.inOneState(
    async (tx) => {
      // A file that has been written cannot be withdrawn; the job begins again.
      if (hasBegun) throw new Error('The reads of the bundle were interrupted')
      hasBegun = true
      return writeRows(tx, archive, writing, fileIds)
    },
    { isLong: true },
  )
  const files: Manifest['files'] = []
  for (const id of fileIds) {
    const content = await writeFile(archive, writing, id)
    if (content !== undefined) files.push({ id, ...content })
    await writing.onProgress(1)
  }
  const manifest: Manifest = {
    format: bundleFormat,
    version: bundleVersion,
    created_at: writing.now,
    source: { kontor: version, schema: defined(migrations.at(-1)).name },
    ...rows,
    files,
  }
  await archive.add(manifestName, chunkOf(JSON.stringify(manifest)))
  archive.end()
  return manifest
}

async function writeRows(tx: ReadTx, archive: ArchiveWriter, writing: Writing, fileIds: string[]) {
  const { workspaceId } = writing
  const [{ settings, ...workspace }, members, isChanging] = await Promise.all([
    findBundledWorkspace(tx, workspaceId),
    listMembers(tx, workspaceId),
    isSchemaChanging(tx, workspaceId),
  ])
  if (isChanging) throw new SchemaChanging('A change of the schemas is being prepared')
  const tables: Manifest['tables'] = []
  for (const copied of bundledTables) {
    let rows = 0
    const onLines = async (lines: readonly string[]): Promise<void> => {
      rows += lines.length
      if (copied.table === 'file') for (const line of lines) fileIds.push(textOf(memberOf(JSON.parse(line), 'id')))
      await writing.onProgress(lines.length)
    }
    const content = await archive.add(tableEntry(copied.name), linesOf(tx, copied, workspaceId, onLines))
    tables.push({ name: copied.name, rows, ...content })
  }
  return { workspace: { ...workspace, settings: withoutSecrets(settings) }, members, tables }
}

const withoutSecrets = (settings: Partial<WorkspaceSettings>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => ![...adminSettings].some((secret) => secret === key)))

/** Bytes that a portion of rows should have, and the number of rows of the first one and of the largest. */
const portionBytes = 256 * 1024
const rowsFirst = 50
const rowsMax = 1000

/** The rows of a table, in portions of similar sizes: few at once where they are large. */
async function* linesOf(
  tx: ReadTx,
  copied: CopiedTable,
  workspaceId: string,
  onLines: (lines: readonly string[]) => Promise<void>,
): AsyncGenerator<Buffer> {
  let after: readonly unknown[] | undefined
  for (let size = rowsFirst; ;) {
    const { lines, last } = await listRowLines(tx, copied, workspaceId, after, size)
    if (lines.length > 0) {
      const chunk = Buffer.from(`${lines.join('\n')}\n`)
      yield chunk
      await onLines(lines)
      after = last
      if (lines.length < size) return
      const fitting = Math.floor((portionBytes * lines.length) / chunk.length)
      size = Math.max(1, Math.min(rowsMax, fitting, size * 2))
    } else return
  }
}

/** Writes the bytes of a file; undefined where they are gone, since it was deleted after the rows were read. */
async function writeFile(archive: ArchiveWriter, { storage, workspaceId }: Writing, id: string) {
  const bytes = await storage.find({ workspaceId, id })
  return bytes && archive.add(fileEntry(id), bytesOf(bytes), { isCompressed: false })
}

async function* chunkOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
