import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Row } from '../../../db/executor.ts'
import type { Database, Tx } from '../../../db/tx.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Verification } from '../../../kernel/verification.ts'
import type { FileStorage } from '../../files/index.ts'
import { insertMembership, insertUser } from '../../identity/users/index.ts'
import { insertWorkspace } from '../../workspaces/index.ts'
import type { Manifest } from '../manifest.ts'
import { ArchiveReader } from '../reading/archive.ts'
import { BundleFault } from '../reading/bundle-fault.ts'
import { checkBundle, contentOf, readManifest } from '../reading/check.ts'
import { rowsOf } from '../reading/rows.ts'
import { putInPlace, putSettings, removeWorkspace } from '../store.ts'
import { bundledTables } from '../tables.ts'
import { inAttempt, type RestoreAttempt } from './attempt.ts'
import { findTarget, planMembers, rewriterOf, type PlannedMember, type RestoreRequest } from './plan.ts'
import { tables, type TableName, type RowOf } from '../../../db/columns.ts'
import { deleteCopies, insertCopies, type CopiedTable } from '../../../db/copied-tables.ts'
import { keysOf } from '../../../lib/guards.ts'
import { uniqueValues, writeIndexRows } from '../../indexes/index.ts'
import type { RecordData } from '../../fields/index.ts'
import { compileObject, uniqueName } from '../../objects/index.ts'
import { gatherRecordStatistics } from '../../records/index.ts'
import { readSchemas } from '../../schemas/index.ts'

export type RestoreServices = {
  readonly database: Database
  readonly storage: FileStorage
  readonly clock: Clock
  /** The verifications of counters, which rebuild them. */
  readonly counters: readonly Verification[]
  /** New secrets of a webhook, as its columns: a bundle has none. */
  readonly newSecrets: (webhookId: string) => Row
  /** Called with the name of each step. */
  readonly onStep: (step: string) => void
}

export type RestoredWorkspace = {
  readonly id: string
  readonly slug: string
  readonly rows: Readonly<Record<string, number>>
  readonly files: number
}

/**
 * Restores a bundle as a workspace that does not exist yet. The whole bundle is read and checked before anything is
 * written. The workspace gets its slug and its members last: one that was not finished is invisible, and a further
 * attempt begins by removing it (docs/decisions/0373).
 */
export async function restoreBundle(
  services: RestoreServices,
  path: string,
  request: RestoreRequest,
): Promise<RestoredWorkspace> {
  const archive = await ArchiveReader.open(path)
  try {
    return await restore(services, archive, request)
  } finally {
    archive.close()
  }
}

async function restore(
  services: RestoreServices,
  archive: ArchiveReader,
  request: RestoreRequest,
): Promise<RestoredWorkspace> {
  const { database, onStep } = services
  const manifest = await readManifest(archive)
  const salt = createHash('sha256')
    .update(`${JSON.stringify(manifest)} ${request.slug ?? ''}`)
    .digest('hex')
  const target = await findTarget(database.reader, manifest, salt, request)
  onStep('Checking the bundle')
  const checked = await checkBundle(archive, manifest, { needsIds: request.hasNewIds })
  const members = await planMembers(database.reader, manifest, salt)
  const { workspaceId } = target
  const rewrite = rewriterOf(manifest, checked, members, { workspaceId, salt, hasNewIds: request.hasNewIds })
  if (target.hasRemains) {
    onStep('Removing the remains of an earlier restore')
    await database.write((tx) => putInPlace(tx, workspaceId, target.unfinishedSlug))
    await removeRemains(database, target)
  }
  await database.write((tx) => insertUnfinished(tx, services, manifest, target, members))
  try {
    for (const copied of bundledTables) {
      onStep(`Restoring ${copied.name}`)
      const fill =
        copied.table === 'webhook' ? (row: Row) => ({ ...row, ...services.newSecrets(String(row['id'])) }) : same
      for await (const rows of portionsOf(rowsOf(archive, copied, contentOf(manifest, copied.name), rewrite)))
        await insertPortion(database, target, copied, rows.map(copied.prepare ?? same).map(fill))
    }
    onStep('Restoring the bytes of files')
    for (const { id, ...content } of manifest.files)
      await services.storage.write({ workspaceId, id: rewrite?.(id) ?? id }, Readable.from(archive.file(id, content)))
    onStep('Counting')
    await rebuildCounters(services, workspaceId)
    await gatherRecordStatistics(database, workspaceId)
    await inAttempt(database, target, (tx) => finish(tx, target, members))
  } catch (error) {
    await removeRemains(database, target).catch(() => undefined)
    throw error
  }
  const rows = Object.fromEntries(manifest.tables.map(({ name, rows: count }) => [name, count]))
  return { id: workspaceId, slug: target.slug, rows, files: manifest.files.length }
}

const same = (row: Row): Row => row

type Target = Awaited<ReturnType<typeof findTarget>>

type Members = readonly [string, PlannedMember][]

/** Inserts the workspace without members, so that nobody can enter it, and the accounts that are missing. */
async function insertUnfinished(
  tx: Tx,
  { clock }: RestoreServices,
  { workspace }: Manifest,
  { workspaceId, unfinishedSlug }: Target,
  members: Members,
): Promise<void> {
  const { name, schema_epoch, created_at } = workspace
  const now = clock.now()
  const row = { id: workspaceId, organization_id: newId(now), slug: unfinishedSlug, name, schema_epoch, created_at }
  if (!(await insertWorkspace(tx, row))) throw new BundleFault('Another restore of this bundle is running.')
  await putSettings(tx, workspaceId, workspace.settings)
  for (const [, { id, email, name: person, hasAccount }] of members)
    if (!hasAccount) await insertUser(tx, { id, email, name: person, created_at: now, unverified_since: null })
}

/** Lets the members enter the workspace, under its slug. */
async function finish(tx: Tx, { workspaceId, slug }: Target, members: Members): Promise<void> {
  for (const [, { id, role, joined_at }] of members)
    await insertMembership(tx, { workspace_id: workspaceId, user_id: id, role, created_at: joined_at })
  await putInPlace(tx, workspaceId, slug)
}

/** The tables that have rows of workspaces. */
const ofWorkspaces: readonly TableName[] = keysOf(tables).filter((table) =>
  Object.hasOwn(tables[table], 'workspace_id'),
)

/** Removes all rows of a workspace that was not restored completely, unless another attempt has begun. */
async function removeRemains(database: Database, attempt: RestoreAttempt): Promise<void> {
  const { workspaceId } = attempt
  for (const table of ofWorkspaces) await inAttempt(database, attempt, (tx) => deleteCopies(tx, table, workspaceId))
  await inAttempt(database, attempt, (tx) => removeWorkspace(tx, workspaceId))
}

type Counting = { readonly database: Database; readonly clock: Clock; readonly counters: readonly Verification[] }

/** Counts what was restored, as a repair of counters does. */
async function rebuildCounters({ database, clock, counters }: Counting, workspaceId: string): Promise<void> {
  for (const { verify } of counters) {
    let after: string | undefined
    do {
      const request = { workspaceId, after, now: clock.now() }
      const { discrepancies, next } = await database.reader.inOneState((tx) => verify(tx, request))
      await database.write(async (tx) => {
        for (const { repair } of discrepancies) await repair?.(tx)
      })
      after = next
    } while (after !== undefined)
  }
}

/** Rows of one transaction, and their bytes: small enough for requests beside it. */
const portionRows = 200
const portionBytes = 2 ** 20

/** Rows in portions. */
async function* portionsOf(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let portion: Row[] = []
  let bytes = 0
  for await (const row of rows) {
    portion.push(row)
    bytes += JSON.stringify(row).length
    if (portion.length < portionRows && bytes < portionBytes) continue
    yield portion
    portion = []
    bytes = 0
  }
  if (portion.length > 0) yield portion
}

/** Inserts rows of a table, and what is derived from them. */
const insertPortion = (database: Database, attempt: RestoreAttempt, copied: CopiedTable, rows: readonly Row[]) =>
  inAttempt(database, attempt, async (tx) => {
    const { workspaceId } = attempt
    await insertCopies(tx, copied, workspaceId, rows)
    if (copied.table === 'record') await insertSideRows(tx, workspaceId, rows as readonly RecordCopy[])
  })

type RecordCopy = RowOf<'record'> & { readonly data: RecordData }

/** Writes the index rows and unique values of live records. Counters are rebuilt at the end. */
async function insertSideRows(tx: Tx, workspaceId: string, rows: readonly RecordCopy[]): Promise<void> {
  const { schemas } = await readSchemas(tx, workspaceId)
  const objects = new Map([...schemas.values()].map(compileObject).map((object) => [object.key, object]))
  const live = rows.filter(({ deleted_at }) => deleted_at === null)
  for (const [key, some] of Map.groupBy(live, (row) => row.object)) {
    const object = objects.get(key)
    // The object was deleted, and a job would have deleted its records.
    if (object === undefined) continue
    await writeIndexRows({ tx, workspace: { workspaceId } }, object, [], some)
    const keys = some.flatMap(({ id, data }) =>
      object.uniques.flatMap((field) =>
        uniqueValues(field, data).map((value) => ({
          workspace_id: workspaceId,
          field: uniqueName(object, field),
          key_value: value,
          record_id: id,
        })),
      ),
    )
    await tx.insert('unique_key', keys)
  }
}
