import { suggestion, type Change, type RecordReference } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import type { WriteContext, WorkspaceReadContext } from '../../kernel/implement.ts'
import {
  addLinks,
  Faults,
  findTarget,
  letGo,
  lockAssignedCounterparts,
  lockTargets,
  removeLinks,
  requireRelated,
  resolveReferences,
  takeOver,
  updateReference,
} from '../records/index.ts'
import { isToMany, relationshipFields, type ObjectModel } from '../objects/index.ts'
import type { Field } from '../fields/index.ts'

type At = { readonly object: string; readonly id: string; readonly relationship: string }
type Entry = { readonly type: string; readonly id: RecordReference | null }
type Data = Entry | readonly Entry[] | null
type MatchContext = WriteContext<'match_ambiguous'>
type LinkContext = WriteContext<'related_not_found' | 'match_ambiguous'>

/** The requested change of links: the ids of the body, each once, and whether all others are unlinked first. */
type LinkSelection = { readonly ids: readonly string[]; readonly unlinkAll: boolean }

type Mode = 'replace' | 'add' | 'remove'

/** Adds to the links of one record along one relationship, or replaces them; returns the changes, for a dry run. */
export async function changeLinks(ctx: LinkContext, at: At, mode: 'replace' | 'add', data: Data): Promise<Change[]> {
  const { target, field, row, wanted } = await prepare(ctx, at, mode, data)
  const { object } = target
  if (!isToMany(field)) {
    await requireRelated(ctx, field, wanted.ids, 'refer')
    return updateReference(ctx, target, row, field, wanted.ids[0] ?? null)
  }
  return field.relationship?.kind === 'one-to-many'
    ? changeOneToMany(ctx, object, field, row.id, wanted)
    : changeManyToMany(ctx, object, field, row.id, mode, wanted)
}

/** Removes links of one record along one relationship; ids that are not linked are ignored. */
export async function unlink(ctx: MatchContext, at: At, data: Entry | readonly Entry[]): Promise<Change[]> {
  const { target, field, row, wanted } = await prepare(ctx, at, 'remove', data)
  const { object } = target
  const asked = new Set<unknown>(wanted.ids)
  if (!isToMany(field)) return asked.has(row.data[field.key]) ? updateReference(ctx, target, row, field, null) : []
  const drop = field.relationship?.kind === 'one-to-many' ? letGo : removeLinks
  return drop(ctx, object, field, row.id, (other) => asked.has(other))
}

/** Locks the record and reads the requested change of its links. */
async function prepare(ctx: MatchContext, at: At, mode: Mode, data: Data) {
  const target = await findTarget(ctx, at.object)
  const field = requireRelationship(ctx, target.object, at.relationship)
  const given = data === null ? [] : [data].flat()
  const ids = await resolveReferences(
    ctx,
    given.map(({ id }) => id),
    () => defined(field.relationship).entity,
    (index) => ['data', ...(Array.isArray(data) ? [index] : []), 'id'],
  )
  const entries = given.map(({ type }, index) => ({ type, id: ids[index] ?? null }))
  await lockAssignedCounterparts(ctx, target.object, [
    { id: at.id, attributes: { [field.name]: ids.find((one) => one !== null) } },
  ])
  const row = defined((await lockTargets(ctx, target, [at.id]))[0])
  return { target, field, row, wanted: parseEntries(field, mode, entries, Array.isArray(data)) }
}

/** An entry whose match is found. */
type FoundEntry = { readonly type: string; readonly id: string | null }

function parseEntries(field: Field, mode: Mode, entries: readonly FoundEntry[], areMany: boolean): LinkSelection {
  const faults = new Faults()
  const entity = field.relationship?.entity
  entries.forEach(({ type }, index) => {
    if (type !== entity && type !== 'record')
      faults.add(
        ['data', ...(areMany ? [index] : []), 'type'],
        `Must be "${entity}", the object at the other end of "${field.name}".`,
      )
  })
  const ids = [...new Set(entries.map(({ id }) => id).filter((id) => id !== null))]
  if (!isToMany(field)) {
    if (mode === 'add')
      faults.add(['data'], `"${field.name}" is a relationship to one record: use the operation that replaces it.`)
    else if (mode === 'replace' && ids.length > 1)
      faults.add(['data'], `"${field.name}" is a relationship to one record.`)
    if (field.required && mode !== 'add' && ids.length === 0) faults.add(['data'], `${field.title} is required.`)
  }
  if (field.readOnly) faults.add(['data'], `"${field.name}" is read-only.`)
  faults.throwIfAny()
  return { ids, unlinkAll: entries.some(({ id }) => id === null) }
}

/** One-to-many: the listed records are linked to this one, after all others are unlinked if requested. */
async function changeOneToMany(
  ctx: LinkContext,
  object: ObjectModel,
  field: Field,
  id: string,
  { ids, unlinkAll }: LinkSelection,
): Promise<Change[]> {
  const wanted = new Set(ids)
  const gone = unlinkAll ? await letGo(ctx, object, field, id, (other) => !wanted.has(other)) : []
  return [...gone, ...(await takeOver(ctx, field, id, ids))]
}

async function changeManyToMany(
  ctx: LinkContext,
  object: ObjectModel,
  field: Field,
  id: string,
  mode: 'replace' | 'add',
  { ids }: LinkSelection,
): Promise<Change[]> {
  const wanted = new Set(ids)
  const gone = mode === 'replace' ? await removeLinks(ctx, object, field, id, (other) => !wanted.has(other)) : []
  return [...gone, ...(await addLinks(ctx, object, field, id, ids))]
}

/** A relationship of an object by the name of its field; 404 with the nearest name for an unknown one. */
export function requireRelationship(ctx: WorkspaceReadContext, object: ObjectModel, name: string): Field {
  const all = relationshipFields(object)
  const field = all.find((one) => one.name === name)
  if (field !== undefined) return field
  const names = all.map((one) => one.name)
  throw ctx.fail('not_found', {
    detail: `${object.name} has no relationship "${name.slice(0, 64)}".${suggestion(name, names)}`,
    meta: { allowed: names },
  })
}
