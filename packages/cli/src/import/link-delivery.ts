import { relationships } from '@kontor/contract'
import { KontorError } from '@kontor/client'
import type { CsvRow } from './csv.ts'
import type { Destination, Reject } from './importer.ts'
import type { Linkable } from './link-ends.ts'
import type { Found, LinkedRecords } from './linked-records.ts'
import { matchOf } from '@kontor/contract/cells'
import { persist } from './persist.ts'

/** A row whose two records are named. */
export type ReadyLink = CsvRow & { readonly from: Linkable; readonly to: Linkable }

export type LinkDeliveryOptions = Destination & {
  readonly object: string
  readonly relationship: string
  /** The object at the other end. */
  readonly other: string
  readonly createMissing: boolean
  readonly dryRun: boolean
  readonly counts: { linked: number }
  readonly linkedRecords: LinkedRecords
}

/** Links records, one request for each record that links come from. Repeating it is safe: a link is there once. */
export class LinkDelivery {
  readonly #options: LinkDeliveryOptions

  constructor(options: LinkDeliveryOptions) {
    this.#options = options
  }

  /** Writes the links that the server accepts and rejects the others. Throws when the import cannot go on. */
  async send(rows: readonly ReadyLink[], reject: Reject): Promise<void> {
    const { counts, createMissing, linkedRecords } = this.#options
    const named = rows.flatMap(({ from, to }) => [from, ...(createMissing ? [to] : [])])
    await linkedRecords.resolve(named.filter((one) => typeof one !== 'string'))
    const byId = new Map<string, ReadyLink[]>()
    for (const row of rows) {
      const [from, to] = [this.#find(row.from), createMissing ? this.#find(row.to) : undefined]
      const missing = [from, to].find((one) => one?.id === undefined && one?.wouldBeCreated === false)
      if (missing?.id === undefined && missing !== undefined) reject({ ...row, reason: missing.reason })
      else if (from.id === undefined || (to !== undefined && to.id === undefined)) counts.linked++
      else byId.set(from.id, [...(byId.get(from.id) ?? []), row])
    }
    for (const [id, links] of byId) await this.#link(id, links, reject)
  }

  #find(end: Linkable): Found {
    if (typeof end === 'string') return { id: end }
    const found = this.#options.linkedRecords.found(end)
    return found ?? { id: undefined, wouldBeCreated: false, reason: `There is no such ${end.entity}.` }
  }

  /** All or none: links that are refused are rejected, and the others are sent again. */
  async #link(id: string, rows: readonly ReadyLink[], reject: Reject): Promise<void> {
    if (rows.length === 0) return
    try {
      await this.#post(id, rows)
      this.#options.counts.linked += rows.length
    } catch (error) {
      if (!(error instanceof KontorError) || error.status === 401 || error.status >= 500) throw error
      const reasons = this.#reasonsOf(error, rows)
      rows.forEach(({ line, cells }, index) => {
        const reason = reasons.get(index)
        if (reason !== undefined) reject({ line, cells, reason })
      })
      await this.#link(
        id,
        rows.filter((_, index) => !reasons.has(index)),
        reject,
      )
    }
  }

  /** Why rows were refused, by their position: those that the answer names, otherwise all. */
  #reasonsOf({ errors }: KontorError, rows: readonly ReadyLink[]): ReadonlyMap<number, string> {
    const reasons = new Map<number, string>()
    for (const { source, detail } of errors) {
      const index = /^\/data\/(\d+)/.exec(source?.pointer ?? '')?.[1]
      if (index !== undefined) reasons.set(Number(index), detail)
    }
    const missing = new Set(errors.flatMap(({ meta }): unknown[] => [meta?.['ids']].flat()))
    rows.forEach(({ to }, index) => {
      if (missing.has(to)) reasons.set(index, `There is no ${this.#options.other} with this id that you may see.`)
    })
    const whole = errors.map(({ detail }) => detail).join(' ')
    return reasons.size > 0 ? reasons : new Map(rows.map((_, index) => [index, whole]))
  }

  #post(id: string, rows: readonly ReadyLink[]) {
    const { rest, workspace, object, relationship, other, dryRun, persistence } = this.#options
    const data = rows.map(({ to }) => ({ type: other, id: typeof to === 'string' ? to : matchOf(to) }))
    const input = { workspace, object, id, relationship, body: { data }, ...(dryRun && { dry_run: true }) }
    return persist(() => rest.call(relationships.add, input), persistence)
  }
}
