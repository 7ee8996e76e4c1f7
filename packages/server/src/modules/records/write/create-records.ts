import type { Change, WriteStrategies } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import { mapInPortions } from '../../../lib/portions.ts'
import { SerialisationFailure } from '../../../db/errors.ts'
import { Failure } from '../../../kernel/errors.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { isCountry, type Field } from '../../fields/index.ts'
import { uniqueValues } from '../../indexes/index.ts'
import { lockAssignedCounterparts } from '../one-to-one/counterparts.ts'
import { keepHidden, checkReferences } from './references.ts'
import type { RecordRow } from '../../objects/index.ts'
import { insertRecords, type Creation } from './create.ts'
import { writeEach, type ItemOutcome } from './each.ts'
import { Faults } from './faults.ts'
import { findMatches, matchField, matchValues } from './match.ts'
import {
  checkAlone,
  parseAttributes,
  parseContext,
  parseStrategies,
  requireAttributes,
  withDefaults,
  type GivenRecord,
  type Strategies,
} from './parse-attributes.ts'
import { resolveAttributes } from './record-matches.ts'
import { joinWith, startingValues, upsertStrategies } from './strategies.ts'
import { checkType, findTarget, lockTargets, type WriteTarget } from './target.ts'
import { applyUpdates } from './update.ts'

/** The result of a write for one record. */
export type Written = { readonly row: RecordRow; readonly diff: Change[]; readonly created: boolean }

type CreateContext = WriteContext<'unique_violation' | 'match_ambiguous'>

/** The rules of a body for all its records: the field that matches existing ones, and how these change. */
type Upsert = {
  readonly match_on?: string | undefined
  readonly meta?: WriteStrategies | undefined
  readonly default_country?: string | undefined
}

type Intent = {
  readonly target: WriteTarget
  readonly field: Field | undefined
  readonly strategies: Strategies
  /** The country of phone numbers that name none, instead of the workspace's. */
  readonly country: string | undefined
}

async function findIntent(
  ctx: CreateContext,
  objectName: string,
  { match_on: matchOn, meta, default_country: country }: Upsert,
  faults: Faults,
): Promise<Intent> {
  const target = await findTarget(ctx, objectName, 'create')
  const { object } = target
  if (country !== undefined && !isCountry(country))
    faults.add(['default_country'], `"${country}" is not a country code of ISO 3166 such as US, GB or CH.`)
  if (matchOn === undefined) {
    if (meta !== undefined)
      faults.add(['meta'], 'It only applies to existing records: send it together with `match_on`.')
    return { target, field: undefined, strategies: new Map(), country }
  }
  const field = matchField(object, matchOn, faults)
  const strategies = parseStrategies(object, meta, faults, upsertStrategies(object))
  if (field !== undefined && strategies.get(field) === 'remove')
    faults.add(['meta', matchOn, 'collection'], 'The values of `match_on` cannot be removed.')
  return { target, field, strategies, country }
}

/** Creates records, or updates those that `match_on` finds; all or none, in the order of the body. */
export async function createRecords(
  ctx: CreateContext,
  objectName: string,
  given: readonly GivenRecord[],
  matching: Upsert,
): Promise<{ target: WriteTarget; written: Written[] }> {
  const faults = new Faults()
  const intent = await findIntent(ctx, objectName, matching, faults)
  return { target: intent.target, written: await write(ctx, intent, await prepare(ctx, intent, given, faults)) }
}

/** Creates records item by item: refused ones are left out. */
export async function createEach(
  ctx: CreateContext,
  objectName: string,
  given: readonly GivenRecord[],
  matching: Upsert,
): Promise<{ target: WriteTarget; outcomes: ItemOutcome<Written>[] }> {
  const faults = new Faults()
  const intent = await findIntent(ctx, objectName, matching, faults)
  faults.throwIfAny()
  return {
    target: intent.target,
    outcomes: await writeEach(ctx, given, {
      prepare: (outer, some) => prepare(outer, intent, some, new Faults()),
      write: async (inner, some) => write(inner, intent, await matchAgain(inner, intent, some)),
    }),
  }
}

/** A creation that is checked, and the record that it matches. */
type Prepared = Creation & Pick<GivenRecord, 'attributes'> & { readonly match: string | undefined }

/** Checks creations, and locks what they refer to. */
async function prepare(
  ctx: CreateContext,
  intent: Intent,
  asGiven: readonly GivenRecord[],
  faults: Faults,
): Promise<Prepared[]> {
  const { target, field, strategies, country } = intent
  const { object } = target
  const given = await resolveAttributes(ctx, object, asGiven, faults, country)
  const context = await parseContext(ctx, country)
  const creations = await mapInPortions(given, ({ type, attributes, path }) => {
    checkType(object, type, path.slice(0, -1), faults)
    return { values: parseAttributes(object, attributes, path, faults, context, strategies), attributes, path }
  })
  const matches = field === undefined ? [] : await findMatches(ctx, target, field, creations)
  await lockAssignedCounterparts(
    ctx,
    object,
    given.map(({ attributes }, index) => ({ id: matches[index], attributes })),
  )
  await checkReferences(ctx, object, creations, faults)
  return withMatches(intent, creations, matches, faults)
}

/** The creations with their matches; those that become new records are checked as such. */
function withMatches(
  { target: { object }, field, strategies }: Intent,
  creations: readonly Omit<Prepared, 'match'>[],
  matches: readonly (string | undefined)[],
  faults: Faults,
): Prepared[] {
  const leaders = field === undefined ? undefined : leadersOf(field, creations, matches)
  creations.forEach((creation, index) => {
    if (matches[index] !== undefined || (leaders?.[index] ?? index) !== index) return
    const values = startingValues(creation.values, strategies)
    checkAlone(creation, values, strategies, faults)
    requireAttributes(object, values, creation.path, faults)
  })
  faults.throwIfAny()
  return creations.map((creation, index) => ({ ...creation, match: matches[index] }))
}

/** Looks again what creations match: by now others of the same body may be written. */
const matchAgain = async (
  ctx: CreateContext,
  intent: Intent,
  prepared: readonly Prepared[],
): Promise<readonly Prepared[]> =>
  intent.field === undefined
    ? prepared
    : withMatches(intent, prepared, await findMatches(ctx, intent.target, intent.field, prepared), new Faults())

const write = (ctx: CreateContext, intent: Intent, prepared: readonly Prepared[]): Promise<Written[]> =>
  intent.field === undefined
    ? create(ctx, intent.target, prepared)
    : upsert(ctx, { ...intent, field: intent.field }, prepared)

async function create(
  ctx: WriteContext<'unique_violation'>,
  target: WriteTarget,
  creations: readonly Creation[],
): Promise<Written[]> {
  const { object } = target
  const complete = await mapInPortions(creations, (creation) => ({
    ...creation,
    values: withDefaults(object, creation.values, ctx),
  }))
  return (await insertRecords(ctx, target, complete)).map((inserted) => ({ ...inserted, created: true }))
}

/**
 * Updates matching records and creates the rest. Two entries that share a value are one record, and are written one
 * after another. If another request creates a value in between, the whole transaction is run again, and finds it.
 */
async function upsert(
  ctx: CreateContext,
  { target, field, strategies, country: named }: Intent & { readonly field: Field },
  creations: readonly Prepared[],
): Promise<Written[]> {
  const matches = creations.map(({ match }) => match)
  const leaders = leadersOf(field, creations, matches)
  const fresh = creations.flatMap((_, index) =>
    matches[index] === undefined && leaders[index] === index ? [index] : [],
  )
  const made = await createOrRetry(
    ctx,
    target,
    field,
    fresh.map((index) => {
      const { values, path } = defined(creations[index])
      return { values: startingValues(values, strategies), path }
    }),
  )
  const { country } = await parseContext(ctx, named)
  const results: Written[] = []
  fresh.forEach((index, position) => (results[index] = defined(made[position])))
  const rows = await lockMatched(ctx, target, field, creations, matches)
  for (const { row } of made) rows.set(row.id, row)
  const idOf = (index: number) => matches[index] ?? defined(results[defined(leaders[index])]).row.id
  for (const round of rounds(
    creations.flatMap((_, index) => (results[index] === undefined ? [index] : [])),
    idOf,
  )) {
    const faults = new Faults()
    const updates = round.map((index) =>
      joinWith(defined(rows.get(idOf(index))), defined(creations[index]), strategies, faults, country),
    )
    faults.throwIfAny()
    const updated = await applyUpdates(ctx, target, await keepHidden(ctx, target.object, updates))
    round.forEach((index, position) => {
      const { row, diff } = defined(updated[position])
      rows.set(row.id, row)
      results[index] = { row, diff, created: false }
    })
  }
  return results
}

/**
 * The matching records, locked, by id. Before they are locked, another transaction may delete one or release its value:
 * then the whole transaction is run again, and finds the current holder of the value.
 */
async function lockMatched(
  ctx: CreateContext,
  target: WriteTarget,
  field: Field,
  creations: readonly Creation[],
  matches: readonly (string | undefined)[],
): Promise<Map<string, RecordRow>> {
  const ids = [...new Set(matches.filter((id) => id !== undefined))]
  const locked = await lockTargets(ctx, target, ids).catch((error: unknown) => {
    throw error instanceof Failure && error.code === 'not_found'
      ? new SerialisationFailure('A record that matched is gone', { cause: error })
      : error
  })
  const rows = new Map(locked.map((row) => [row.id, row]))
  creations.forEach((creation, index) => {
    const row = rows.get(matches[index] ?? '')
    const held = row === undefined ? [] : uniqueValues(field, row.data)
    if (row !== undefined && !matchValues(field, creation).some((value) => held.includes(value)))
      throw new SerialisationFailure('A record that matched has another value now')
  })
  return rows
}

/**
 * Splits entries into rounds that name no record twice: the first entries of all records, then the second ones, and so
 * on.
 */
function rounds(indexes: readonly number[], idOf: (index: number) => string): number[][] {
  const entries = new Map<string, number>()
  const found: number[][] = []
  for (const index of indexes) {
    const before = entries.get(idOf(index)) ?? 0
    entries.set(idOf(index), before + 1)
    ;(found[before] ??= []).push(index)
  }
  return found
}

/** For each creation, the first one of the body that shares a value with it, usually itself. */
function leadersOf(field: Field, creations: readonly Creation[], matches: readonly (string | undefined)[]): number[] {
  const first = new Map<string, number>()
  return creations.map((creation, index) => {
    const values = matches[index] === undefined ? matchValues(field, creation) : []
    const leader = values.map((value) => first.get(value)).find((found) => found !== undefined) ?? index
    for (const value of values) if (!first.has(value)) first.set(value, leader)
    return leader
  })
}

async function createOrRetry(
  ctx: CreateContext,
  target: WriteTarget,
  field: Field,
  creations: readonly Creation[],
): Promise<Written[]> {
  try {
    return await create(ctx, target, creations)
  } catch (error) {
    // A hidden holder of the value could not be found, and a repetition would not find it either.
    const lost =
      error instanceof Failure &&
      error.code === 'unique_violation' &&
      error.faults.some(({ meta }) => meta?.['field'] === field.name && meta['existing_id'] !== undefined)
    throw lost ? new SerialisationFailure('Lost a race for a unique value', { cause: error }) : error
  }
}
