import { isDeepStrictEqual } from 'node:util'
import type { FieldSchema, Keyword } from '@kontor/contract'
import { keysOf } from '../../../lib/guards.ts'
import type { FaultSink } from '../../records/index.ts'
import { builtinObjects, visibilityOf, type SchemaDocument, type SchemaKeys } from '../../schemas/index.ts'

type Path = readonly (string | number)[]
type Fields = Readonly<Record<string, FieldSchema>>

/** The keywords that workspaces may change in standard fields: texts, options, presentation, uniqueness. */
const open: readonly Keyword[] = [
  'title',
  'description',
  'examples',
  'deprecated',
  'default',
  'enum',
  'xSvcUnique',
  'xSvcEnumMetadata',
  'xSvcSearchable',
  'xSvcPresentation',
]

/**
 * For fields whose values the server interprets: in records that only the server writes, and where they set the
 * visibility of a record.
 */
const openWhereKnown: readonly Keyword[] = ['title', 'description', 'examples', 'deprecated', 'xSvcPresentation']

type Change = {
  readonly keys: SchemaKeys
  readonly before: SchemaDocument
  readonly next: SchemaDocument
  readonly originOf: (field: string) => string | undefined
}

/** Reports where a new document of a built-in object changes what Kontor itself, and every client, relies on. */
export function checkLocks(change: Change, at: Path, faults: FaultSink): void {
  const { before, keys, next, originOf } = change
  const seeded = builtinObjects.find(({ title }) => title === before.title)
  if (seeded === undefined) return
  if ((next.readOnly === true) !== (seeded.readOnly === true))
    faults.add([...at, 'readOnly'], `${before.title} is built in: this cannot be changed.`)
  const nameOf = new Map(Object.keys(next.properties).map((name) => [originOf(name), name]))
  for (const name of Object.keys(seeded.properties)) {
    // A workspace's own field that is older than the system field of that name.
    if (keys.fields[name] !== undefined && keys.fields[name].key !== name) continue
    const now = nameOf.get(name)
    if (now === undefined) faults.add([...at, 'properties'], `"${name}" is a system field and cannot be removed.`)
    else if (now !== name)
      faults.add([...at, 'properties', now, 'xSvcPrevName'], `"${name}" is a system field and cannot be renamed.`)
    else
      checkKeywords(
        name,
        before.properties,
        next.properties,
        seeded.readOnly === true || name === visibilityOf(keys) ? openWhereKnown : open,
        [...at, 'properties', name],
        faults,
      )
    if (next.required?.includes(name) !== before.required?.includes(name))
      faults.add([...at, 'required'], `"${name}" is a system field: whether it is required cannot be changed.`)
  }
  if (seeded.readOnly === true) checkAdditions(change, at, faults)
}

function checkKeywords(
  name: string,
  before: Fields,
  next: Fields,
  free: readonly Keyword[],
  at: Path,
  faults: FaultSink,
): void {
  const [old, now] = [before[name] ?? {}, next[name] ?? {}]
  for (const keyword of new Set([...keysOf(old), ...keysOf(now)])) {
    if (!free.includes(keyword) && !isDeepStrictEqual(old[keyword], now[keyword]))
      faults.add([...at, keyword], `"${name}" is a system field; only these can be changed: ${free.join(', ')}.`)
  }
}

function checkAdditions({ before, next, originOf }: Change, at: Path, faults: FaultSink): void {
  for (const [name, schema] of Object.entries(next.properties)) {
    if (originOf(name) === undefined && schema.xSvcRelationship === undefined)
      faults.add([...at, 'properties', name], `${before.title} records are read-only: only relationships can be added.`)
  }
}
