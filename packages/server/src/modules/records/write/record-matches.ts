import { noRecordWith, recordMatch, type RecordMatch, type RecordReference } from '@kontor/contract'
import { defined, isRecord } from '../../../lib/guards.ts'
import { mapInPortions } from '../../../lib/portions.ts'
import { pointer } from '../../../lib/pointers.ts'
import type { Fault } from '../../../kernel/errors.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import type { Field } from '../../fields/index.ts'
import { uniqueValues } from '../../indexes/index.ts'
import { findObject, isToMany, type ObjectModel } from '../../objects/index.ts'
import type { UniqueKey } from '../store.ts'
import { Faults } from './faults.ts'
import { parseContext, type GivenRecord } from './parse-attributes.ts'
import { listSeenKeys, matchField } from './match.ts'
import { HeldValues } from './side-rows.ts'

type Path = readonly (string | number)[]

/** A match of a body, and the object that it searches. */
type MatchRequest = { readonly entity: string; readonly match: RecordMatch['match']; readonly path: Path }

/** A match that is parsed: the unique keys of which its record has one. */
type Sought = { readonly wanted: MatchRequest; readonly field: Field; readonly keys: readonly string[] }

type MatchContext = WorkspaceReadContext<'match_ambiguous'>

/**
 * Finds the records that matches name, with one look-up for each object and field; undefined for those that are
 * refused. A record that the caller may not read matches nothing.
 */
async function findMatched(
  ctx: MatchContext,
  all: readonly MatchRequest[],
  faults: Faults,
  country?: string,
): Promise<ReadonlyMap<MatchRequest, string>> {
  const found = new Map<MatchRequest, string>()
  const ambiguities: { readonly fault: Fault; readonly keys: readonly UniqueKey[] }[] = []
  for (const [entity, some] of Map.groupBy(all, (wanted) => wanted.entity)) {
    const target = await findObject(ctx, entity, 'read')
    const { object } = target
    const sought = await parseMatches(ctx, object, some, faults, country)
    for (const [field, those] of Map.groupBy(sought, (one) => one.field)) {
      const values = those.flatMap(({ keys }) => keys)
      const byValue = Map.groupBy(await listSeenKeys(ctx, target, field, values), ({ key_value }) => key_value)
      for (const { wanted, keys } of those) {
        const holders = keys.flatMap((value) => byValue.get(value) ?? [])
        const [id, ...others] = new Set(holders.map(({ record_id }) => record_id))
        const at = [...wanted.path, 'match', field.name]
        if (id === undefined) faults.add(at, noRecordWith(entity, field.name, defined(Object.values(wanted.match)[0])))
        else if (others.length > 0)
          ambiguities.push({ fault: ambiguous(object, field, [id, ...others], at), keys: holders })
        else found.set(wanted, id)
      }
    }
  }
  if (ambiguities.length > 0)
    throw new HeldValues(
      ambiguities.map(({ fault }) => fault),
      ambiguities.flatMap(({ keys }) => keys),
    )
  return found
}

const ambiguous = (object: ObjectModel, field: Field, candidates: readonly string[], at: Path): Fault => ({
  code: 'match_ambiguous',
  detail: `${candidates.length} ${object.name} records match these values of ${field.name}; use the id of one of them.`,
  source: { pointer: pointer(at) },
  meta: { field: field.name, candidates: candidates.slice(0, 100) },
})

async function parseMatches(
  ctx: MatchContext,
  object: ObjectModel,
  given: readonly MatchRequest[],
  faults: Faults,
  country: string | undefined,
): Promise<Sought[]> {
  const context = await parseContext(ctx, country)
  const parsed = await mapInPortions(given, (wanted): Sought | undefined => {
    const [name, value] = defined(Object.entries(wanted.match)[0])
    const at = [...wanted.path, 'match']
    const field = matchField(object, name, faults, at)
    if (field === undefined) return undefined
    const whole = field.type.comparedAs === 'items' && !isRecord(value) ? { items: [value] } : value
    const stored = field.type.parse(whole, field, (detail) => faults.add([...at, name], detail), context)
    if (stored === undefined) return undefined
    return { wanted, field, keys: uniqueValues(field, { [field.key]: stored ?? undefined }) }
  })
  return parsed.filter((one) => one !== undefined)
}

/**
 * Replaces matches by the ids of their records; null stays. `entityOf` tells the object of each, `pathOf` its location
 * in the body. 422 names those that match nothing, and 409 those that match several.
 */
export async function resolveReferences<Given extends RecordReference | null>(
  ctx: MatchContext,
  given: readonly Given[],
  entityOf: (index: number) => string,
  pathOf: (index: number) => Path,
): Promise<Exclude<Given, RecordMatch>[]> {
  const wanted = given.map((one, index): MatchRequest | undefined =>
    isMatch(one) ? { entity: entityOf(index), match: one.match, path: pathOf(index) } : undefined,
  )
  const asked = wanted.filter((one) => one !== undefined)
  const faults = new Faults()
  const found = await findMatched(ctx, asked, faults)
  faults.throwIfAny()
  return given.map((one, index) => {
    const match = wanted[index]
    return (match === undefined ? one : defined(found.get(match))) as Exclude<Given, RecordMatch>
  })
}

/** As for many, of one. */
export const resolveReference = async (
  ctx: MatchContext,
  given: RecordReference,
  entity: string,
  path: Path,
): Promise<string> =>
  defined(
    (
      await resolveReferences(
        ctx,
        [given],
        () => entity,
        () => path,
      )
    )[0],
  )

const isMatch = (given: RecordReference | null): given is RecordMatch => given !== null && typeof given === 'object'

/**
 * Replaces matches among the reference attributes by ids. Attributes whose match is refused are left out; `faults` has
 * the reason.
 */
export async function resolveAttributes<G extends GivenRecord>(
  ctx: MatchContext,
  object: ObjectModel,
  given: readonly G[],
  faults: Faults,
  country?: string,
): Promise<readonly G[]> {
  const wanted = new Map<unknown, MatchRequest>()
  for (const field of object.references) {
    if (isToMany(field) || field.relationship === undefined) continue
    for (const { attributes, path } of given) {
      const value: unknown = attributes[field.name]
      if (!isRecord(value)) continue
      const at = [...path, field.name]
      const { success, data } = recordMatch.safeParse(value)
      if (success) wanted.set(value, { entity: field.relationship.entity, match: data.match, path: at })
    }
  }
  if (wanted.size === 0) return given
  const found = await findMatched(ctx, [...wanted.values()], faults, country)
  return given.map((one) => {
    const attributes: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(one.attributes)) {
      const match = wanted.get(value)
      const id = match && found.get(match)
      if (match === undefined || id !== undefined) attributes[name] = id ?? value
    }
    return { ...one, attributes }
  })
}
