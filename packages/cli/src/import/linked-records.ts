import { records, type ErrorObject } from '@kontor/contract'
import type { RestClient } from '@kontor/client'
import type { LinkedValue } from '@kontor/contract/cells'
import { persist, type Persistence } from './persist.ts'

export type LinkedRecordsOptions = {
  readonly rest: RestClient
  readonly workspace: string
  readonly createMissing: boolean
  readonly dryRun: boolean
  /** The country of phone numbers that name none; undefined: the workspace's. */
  readonly country: string | undefined
  readonly persistence: Persistence
}

/** The result of a look-up: a record, none that exists (with the reason), or one that the real call would create. */
export type Found =
  | { readonly id: string }
  | { readonly id: undefined; readonly wouldBeCreated: boolean; readonly reason: string }

/** Values that are remembered; one that is forgotten is looked up again. */
const knownMax = 100_000

/** Values in one request: a chunk may name more than a request takes. */
const batchMax = 1000

type Result = {
  readonly status: number
  readonly data?: { readonly id: string } | undefined
  readonly errors?: readonly ErrorObject[] | undefined
}

/**
 * Finds the records that rows name by value, and creates those that are missing: once for each value, however often it
 * occurs and however often the import is repeated, since a value that is there by then finds its record.
 */
export class LinkedRecords {
  /** How many records were created, by object. */
  readonly created = new Map<string, number>()
  readonly #options: LinkedRecordsOptions
  readonly #known = new Map<string, Found>()

  constructor(options: LinkedRecordsOptions) {
    this.#options = options
  }

  /** Looks values up, and creates what is missing where that is wanted. */
  async resolve(values: readonly LinkedValue[]): Promise<void> {
    if (this.#known.size > knownMax) this.#known.clear()
    const unknown = new Map(values.map((value) => [keyOf(value), value]))
    for (const key of unknown.keys()) if (this.#known.has(key)) unknown.delete(key)
    const groups = Map.groupBy(unknown.values(), ({ entity, field }) => `${entity}.${field}`)
    for (const group of groups.values())
      for (let from = 0; from < group.length; from += batchMax)
        await this.#resolveBatch(group.slice(from, from + batchMax))
  }

  /** Returns what `resolve` found. */
  found(value: LinkedValue): Found | undefined {
    return this.#known.get(keyOf(value))
  }

  async #resolveBatch(group: readonly LinkedValue[]): Promise<void> {
    const { createMissing, dryRun } = this.#options
    const results = await this.#upsert(group, true)
    const missing: LinkedValue[] = []
    group.forEach((value, index) => {
      const result = results[index]
      if (result?.status === 201 && createMissing && !dryRun) missing.push(value)
      else this.#remember(value, result)
    })
    if (missing.length > 0) await this.#create(missing)
  }

  async #create(missing: readonly LinkedValue[]): Promise<void> {
    const results = await this.#upsert(missing, false)
    const ids = new Set<string>()
    missing.forEach((value, index) => {
      const { data } = results[index] ?? {}
      if (data !== undefined) ids.add(data.id)
      this.#remember(value, results[index])
    })
    const entity = missing[0]?.entity ?? ''
    this.created.set(entity, (this.created.get(entity) ?? 0) + ids.size)
  }

  #remember(value: LinkedValue, result: Result | undefined): void {
    const { createMissing, dryRun } = this.#options
    const isRehearsed = result?.status === 201 && (dryRun || !createMissing)
    // What else a new record would need says nothing of one that is only looked up.
    const errors = (result?.errors ?? []).filter(
      ({ source }) => createMissing || source?.pointer?.includes(`/attributes/${value.field}`) === true,
    )
    this.#known.set(
      keyOf(value),
      result?.data !== undefined && !isRehearsed
        ? { id: result.data.id }
        : { id: undefined, wouldBeCreated: isRehearsed && createMissing, reason: reasonOf(value, errors) },
    )
  }

  /** Repeating it is safe: what is there by then stays as it is. */
  async #upsert(values: readonly LinkedValue[], dryRun: boolean): Promise<readonly Result[]> {
    const { rest, workspace, createMissing, country, persistence } = this.#options
    const [{ entity: object, field } = { entity: '', field: '' }] = values
    const data = values.map((one) => ({
      type: object,
      attributes: createMissing ? { ...one.attributes } : { [field]: one.value },
    }))
    const body = { data, match_on: field, ...(country !== undefined && { default_country: country }) }
    const input = { workspace, object, body, atomic: false, ...(dryRun && { dry_run: true }) }
    const answer = (await persist(() => rest.call(records.createMany, input), persistence)).body
    return 'results' in answer ? answer.results : []
  }
}

const keyOf = ({ entity, field, value }: LinkedValue): string => JSON.stringify([entity, field, value])

const reasonOf = ({ entity, field }: LinkedValue, errors: readonly ErrorObject[]): string =>
  errors.length === 0
    ? `There is no ${entity} with this ${field} that you may see.`
    : errors.map(({ detail }) => detail).join(' ')
