import { rowReason, type LinkedValue, type Mapped } from '@kontor/contract/cells'
import type { InProcessCall } from '../../kernel/invoke/in-process.ts'
import { defined } from '../../lib/guards.ts'
import { bulkResults, type BulkResults } from './bulk.ts'

type Options = {
  readonly workspace: string
  readonly isDryRun: boolean
  readonly silent: boolean
  readonly country: string | undefined
}

/** The result for a value: its record may be missing, and could perhaps not be created. */
type Found = { readonly isMissing: boolean; readonly fault: string | undefined }

const there: Found = { isMissing: false, fault: undefined }

/**
 * Creates the records that rows name by value and that are missing: once for each value, however often it occurs and
 * however often it is done, since a value that is there by then finds its record. Those that exist stay as they are.
 */
export class LinkedRecords {
  readonly #call: InProcessCall
  readonly #options: Options
  readonly #found = new Map<string, Found>()

  constructor(call: InProcessCall, options: Options) {
    this.#call = call
    this.#options = options
  }

  async ensure(rows: readonly Mapped[]): Promise<void> {
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
    const { results } = await this.#upsert(group, true)
    const missing = group.filter((_, index) => results[index]?.status === 201)
    group.forEach((value, index) => this.#found.set(keyOf(value), foundBy(results[index], true)))
    if (missing.length === 0 || this.#options.isDryRun) return
    const created = await this.#upsert(missing, false)
    missing.forEach((value, index) => this.#found.set(keyOf(value), foundBy(created.results[index], false)))
  }

  async #upsert(values: readonly LinkedValue[], isDryRun: boolean): Promise<BulkResults> {
    const { workspace, silent, country } = this.#options
    const { entity: object, field } = defined(values[0])
    const body = {
      data: values.map(({ attributes }) => ({ type: object, attributes })),
      match_on: field,
      ...(country !== undefined && { default_country: country }),
    }
    const flags = { atomic: false, ...(silent && { silent }), ...(isDryRun && { dry_run: true }) }
    return bulkResults(await this.#call('records.createMany', { workspace, object, body, ...flags }))
  }
}

/** A creation in a dry run has found nothing. */
const foundBy = (result: BulkResults['results'][number] | undefined, isDryRun: boolean): Found =>
  result?.errors === undefined
    ? { ...there, isMissing: isDryRun && result?.status === 201 }
    : { isMissing: true, fault: result.errors.map(rowReason).join(' ') }

const keyOf = ({ entity, field, value }: LinkedValue): string => JSON.stringify([entity, field, value])
