import {
  compileObject,
  indexKeysOf,
  indexedField,
  isToMany,
  linkEndOf,
  uniqueName,
  type ObjectModel,
} from '../../objects/index.ts'
import {
  pendingChangeOf,
  pairsOf,
  removedOptions,
  type PendingSchemaChange,
  type Field,
  type FieldPair,
} from '../../fields/index.ts'
import { storedSchema, type Clearing } from '../../schemas/index.ts'
import type { Cleaning } from '../clean/job.ts'
import type { DraftTarget } from './drafts.ts'

/** The effects of an object's change on its records. */
export type Effects = {
  readonly target: DraftTarget
  /** Undefined for an object that is created. */
  readonly before: ObjectModel | undefined
  readonly after: ObjectModel
  readonly evolution: PendingSchemaChange
  /** Options that are removed from records once the change is in force. */
  readonly clearing: Clearing
  /** Leftovers of the change, which are then removed in the background. */
  readonly cleanings: readonly Cleaning[]
}

const nothing: PendingSchemaChange = { checked: [], claimed: [], indexed: [] }

export function effectsOf(target: DraftTarget): Effects {
  const before = target.before && compileObject(target.before)
  const after = compileObject(storedSchema(target.document, target.keys, target.version))
  const quiet = { target, before, after, evolution: nothing, clearing: {}, cleanings: [] }
  if (before === undefined) return quiet
  if (target.gone) return { ...quiet, cleanings: [{ kind: 'object', object: before.key }] }
  const pairs = pairsOf(before, after)
  const kept = new Set(pairs.map((pair) => pair.before))
  const dropped = [...before.fields.values()].filter((field) => !kept.has(field))
  return {
    ...quiet,
    evolution: pendingChangeOf(before, after),
    clearing: Object.fromEntries(
      pairs.flatMap((pair) => (removedOptions(pair).length > 0 ? [[pair.after.key, removedOptions(pair)]] : [])),
    ),
    cleanings: [
      ...dropped.flatMap((field) => cleaningsOfDropped(before, field)),
      ...pairs.flatMap((pair) => cleaningsOfChanged(before, after, pair)),
    ],
  }
}

/** Returns whether records must be checked, or their values claimed, before the change is put in force. */
export const asksOfRecords = ({ evolution: { checked, claimed, indexed } }: Effects): boolean =>
  checked.length + claimed.length + indexed.length > 0

function cleaningsOfDropped(object: ObjectModel, field: Field): Cleaning[] {
  const links: Cleaning[] =
    field.relationship === undefined ? [] : [{ kind: 'links', relationship: linkEndOf(object, field).relationship }]
  if (isToMany(field)) return links
  return [
    { kind: 'values', object: object.key, key: field.key },
    ...indexesOf(object, field),
    ...claims(object, field),
    ...links,
  ]
}

const indexesOf = ({ key }: ObjectModel, field: Field): Cleaning[] =>
  indexKeysOf(field).map((name) => ({ kind: 'index', object: key, field: name }))

const claims = (object: ObjectModel, field: Field): Cleaning[] =>
  field.unique ? [{ kind: 'claims', name: uniqueName(object, field) }] : []

function cleaningsOfChanged(
  before: ObjectModel,
  after: ObjectModel,
  { before: old, after: now }: FieldPair,
): Cleaning[] {
  if (old === undefined) return []
  const released = now.unique && uniqueName(before, old) === uniqueName(after, now) ? [] : claims(before, old)
  return indexedField(before, old) === indexedField(after, now) ? released : [...released, ...indexesOf(before, old)]
}

/** Returns the preparations of a change, which a withdrawal leaves behind. */
export const cleaningsOfWithdrawn = ({ after, evolution }: Effects): Cleaning[] => [
  ...evolution.claimed.map((field): Cleaning => ({ kind: 'claims', name: uniqueName(after, field) })),
  ...evolution.indexed.flatMap((field) => indexesOf(after, field)),
]
