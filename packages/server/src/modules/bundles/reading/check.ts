import { kindOf } from '../../../db/column-kinds.ts'
import { memberOf, parsedJson } from '../../../lib/guards.ts'
import {
  bundleVersion,
  fileEntry,
  manifestHead,
  manifestName,
  manifestSchema,
  tableEntry,
  type Manifest,
} from '../manifest.ts'
import { bundledTables } from '../tables.ts'
import type { ArchiveReader } from './archive.ts'
import { BundleFault } from './bundle-fault.ts'
import { rowsOf } from './rows.ts'

/** Bytes of a manifest: members and files take some hundred each. */
const manifestBytesMax = 256 * 2 ** 20

/** Reads the manifest of a bundle, and refuses one of a newer version. */
export async function readManifest(archive: ArchiveReader): Promise<Manifest> {
  const json = parsedJson(await archive.manifest(manifestBytesMax))
  const head = manifestHead.safeParse(json)
  if (!head.success)
    throw new BundleFault(`The file is not a bundle of a workspace: ${manifestName} has another format.`)
  if (head.data.version > bundleVersion)
    throw new BundleFault(
      `The bundle has version ${head.data.version} of the format, but this version of Kontor only reads up to ` +
        `${bundleVersion}: restore it with a newer version.`,
    )
  const manifest = manifestSchema.safeParse(json)
  if (manifest.success) return manifest.data
  const [issue] = manifest.error.issues
  throw new BundleFault(`${manifestName} has an error at /${issue?.path.join('/')}: ${issue?.message}.`)
}

/** The facts about a bundle that was read completely. */
export type CheckedBundle = {
  /** The ids of what is in it, if they are needed. */
  readonly ids: ReadonlySet<string>
  /** The keys of its objects. */
  readonly objectKeys: readonly string[]
}

/** Reads a whole bundle, and throws at its first fault: nothing is written of one that is broken further down. */
export async function checkBundle(
  archive: ArchiveReader,
  manifest: Manifest,
  { needsIds }: { readonly needsIds: boolean },
): Promise<CheckedBundle> {
  requireEntries(archive, manifest)
  const ids = new Set<string>()
  const objectKeys = new Set<string>()
  for (const copied of bundledTables) {
    const content = contentOf(manifest, copied.name)
    const idColumns = copied.key.filter((column) => kindOf(copied.table, column) === 'uuid')
    for await (const row of rowsOf(archive, copied, content)) {
      if (needsIds) for (const column of idColumns) ids.add(String(row[column]))
      if (copied.table === 'schema_version') objectKeys.add(String(memberOf(row['keys'], 'object') ?? row['object']))
    }
  }
  // The bytes are only compared with their digest.
  for (const { id, ...content } of manifest.files) for await (const _ of archive.file(id, content));
  return { ids, objectKeys: [...objectKeys] }
}

/** The manifest's line of a table. */
export function contentOf(manifest: Manifest, name: string) {
  const content = manifest.tables.find((table) => table.name === name)
  if (content === undefined)
    throw new BundleFault(`The bundle is not complete: ${manifestName} has no table "${name}".`)
  return content
}

/** Refuses tables that are unknown, and entries that the manifest does not name. */
function requireEntries(archive: ArchiveReader, manifest: Manifest): void {
  const known = new Set(bundledTables.map(({ name }) => name))
  const unknown = manifest.tables.find(({ name }) => !known.has(name))
  if (unknown !== undefined)
    throw new BundleFault(`The table "${unknown.name}" is unknown: a newer version of Kontor has written the bundle.`)
  const named = new Set([
    manifestName,
    ...manifest.tables.map(({ name }) => tableEntry(name)),
    ...manifest.files.map(({ id }) => fileEntry(id)),
  ])
  for (const name of archive.names)
    if (!named.has(name)) throw new BundleFault(`${name} is in the bundle, but not in ${manifestName}.`)
}
