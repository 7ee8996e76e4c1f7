import { noRecordWith } from '@kontor/contract'
import { rowReason, type LinkedValue, type Mapped } from '@kontor/contract/cells'
import type { InProcessCall } from '../../kernel/invoke/in-process.ts'
import { defined } from '../../lib/guards.ts'
import { bulkResults, type BulkResults } from './bulk.ts'

type Options = {
  readonly workspace: string
  readonly isDryRun: boolean
  readonly silent: boolean
  readonly country: string | undefined
  /** False if records are only found, and those that are missing are a fault. */
  readonly creates: boolean
}

/** The result for a value: its record, or that it is missing, and why it could not be created. */
type Found = {
  readonly id?: string | undefined
  readonly isMissing: boolean
  readonly fault?: string | undefined
}

type Result = BulkResults['results'][number]

/**
 * Finds the records that rows name by value, and creates those that are missing: once for each value, however often it
 * occurs and however often it is done, since a value that is there by then finds its record. Those that exist stay as
 * they are.
 */
export class LinkedRecords {
  /** The number of created records, by object, since it was last read. */
  readonly #created = new Map<string, number>()
  readonly #call: InProcessCall
  readonly #options: Options
  readonly #found = new Map<string, Found>()

  constructor(call: InProcessCall, options: Options) {
    this.#call = call
    this.#options = options
  }

  async ensure(rows: readonly Pick<Mapped, 'linked'>[]): Promise<void> {
    const values = new Map<string, LinkedValue>()
    for (const value of rows.flatMap(({ linked }) => Object.values(linked))) {
      const key = keyOf(value)
      // One row may have what another of the same value lacks; the first one counts.
      const attributes = { ...value.attributes, ...values.get(key)?.attributes }
      if (!this.#found.has(key)) values.set(key, { ...value, attributes })
    }
    for (const group of Map.groupBy(values.values(), ({ entity, field }) => `${entity}.${field}`).values())
      await this.#ensureGroup(group)
  }

  /** Returns what `ensure` found. */
  found(value: LinkedValue): Found {
    return this.#found.get(keyOf(value)) ?? { isMissing: true, fault: missing(value) }
  }

  /** Returns how many records were created since it was last called, by object. */
  takeCreated(): Readonly<Record<string, number>> {
    const created = Object.fromEntries(this.#created)
    this.#created.clear()
    return created
  }

  /** The attributes of a row; in a dry run without references to records that are not there yet. */
  attributesOf({ attributes, linked }: Mapped): Readonly<Record<string, unknown>> {
    if (!this.#options.isDryRun) return attributes
    return Object.fromEntries(Object.entries(attributes).filter(([name]) => !this.#wouldBeCreated(linked[name])))
  }

  /** Says why linked records of a row were not created. */
  faultsOf({ linked }: Mapped): string[] {
    return Object.values(linked).flatMap((value) => {
      const fault = this.#found.get(keyOf(value))?.fault
      return fault === undefined ? [] : [`The ${value.entity} was not created: ${fault}`]
    })
  }

  #wouldBeCreated(value: LinkedValue | undefined): boolean {
    const found = value && this.#found.get(keyOf(value))
    return found !== undefined && found.isMissing && found.fault === undefined
  }

  async #ensureGroup(group: readonly LinkedValue[]): Promise<void> {
    const { isDryRun, creates } = this.#options
    const { results } = await this.#upsert(group, true)
    const positions = creationsIn(results)
    const isNew = (index: number): boolean => (positions[index] ?? -1) !== -1
    group.forEach((value, index) => this.#found.set(keyOf(value), this.#rehearsed(value, results[index], isNew(index))))
    const absent = group.filter((_, index) => results[index]?.status === 201)
    if (absent.length === 0 || isDryRun || !creates) return
    const created = (await this.#upsert(absent, false)).results
    group.forEach((value, index) => {
      if (isNew(index)) this.#found.set(keyOf(value), foundBy(created[positions[index] ?? -1]))
    })
    const ids = new Set(created.flatMap(({ status, data }) => (status === 201 && data !== undefined ? [data.id] : [])))
    const { entity } = defined(absent[0])
    if (ids.size > 0) this.#created.set(entity, (this.#created.get(entity) ?? 0) + ids.size)
  }

  /** A creation in a dry run has found nothing. */
  #rehearsed(value: LinkedValue, result: Result | undefined, isNew: boolean): Found {
    if (isNew) return { isMissing: true, fault: this.#options.creates ? undefined : missing(value) }
    if (result?.errors === undefined || this.#options.creates) return foundBy(result)
    // The other fields that a new record requires do not matter for one that is only found.
    const own = result.errors.filter(({ source }) => source?.pointer?.includes(`/attributes/${value.field}`) === true)
    return { isMissing: true, fault: own.map(({ detail }) => detail).join(' ') || missing(value) }
  }

  async #upsert(values: readonly LinkedValue[], isDryRun: boolean): Promise<BulkResults> {
    const { workspace, silent, country, creates } = this.#options
    const { entity: object, field } = defined(values[0])
    const body = {
      data: values.map(({ attributes, value }) => ({
        type: object,
        attributes: creates ? attributes : { [field]: value },
      })),
      match_on: field,
      ...(country !== undefined && { default_country: country }),
    }
    const flags = { atomic: false, ...(silent && { silent }), ...(isDryRun && { dry_run: true }) }
    return bulkResults(await this.#call('records.createMany', { workspace, object, body, ...flags }))
  }
}

/** Returns which creation of a dry run each result is, or has found: the first fills its fields. -1 for any other. */
function creationsIn(results: readonly Result[]): readonly number[] {
  const ids = results.flatMap(({ status, data }) => (status === 201 ? [data?.id] : []))
  return results.map(({ data }) => (data === undefined ? -1 : ids.indexOf(data.id)))
}

const foundBy = (result: Result | undefined): Found =>
  result?.errors === undefined
    ? { id: result?.data?.id, isMissing: false }
    : { isMissing: true, fault: result.errors.map(rowReason).join(' ') }

const missing = ({ entity, field, value }: LinkedValue): string => noRecordWith(entity, field, value)

const keyOf = ({ entity, field, value }: LinkedValue): string => JSON.stringify([entity, field, value])
