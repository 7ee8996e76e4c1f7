import { records, type ErrorObject } from '@kontor/contract'
import { KontorError, type RestClient } from '@kontor/client'
import { CommandFailed } from '../errors.ts'
import type { CsvRow } from './csv.ts'
import type { Reject } from './importer.ts'
import type { LinkedRecords } from './linked-records.ts'
import { type Mapped, rowReason } from '@kontor/contract/cells'
import { persist, type Persistence } from './persist.ts'

export type ReadyRow = CsvRow & Mapped

/** Counts of the rows that were not rejected, by outcome. */
type RecordCounts = { created: number; updated: number; unchanged: number }

export type DeliveryOptions = {
  readonly rest: RestClient
  readonly workspace: string
  readonly object: string
  readonly matchOn: string | undefined
  /** The country of phone numbers that name none; undefined: the workspace's. */
  readonly country: string | undefined
  /** Fields whose items are those of the row, and no others; items are united otherwise. */
  readonly replaced: readonly string[]
  readonly dryRun: boolean
  /** Names this import: the same rows of the same run are never written twice. */
  readonly run: string
  readonly counts: RecordCounts
  /** Creates the linked records that rows name by value and that are missing; undefined where nothing is created. */
  readonly linkedRecords: LinkedRecords | undefined
  readonly persistence: Persistence
}

/** Longest that one request may take; a repeated one finds its answer by its key. */
const requestMsMax = 120_000

/** Sends rows in bulk, each standing for itself, and counts what became of them. */
export class Delivery {
  readonly #options: DeliveryOptions

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  /** Writes the rows that the server accepts and rejects the others. Throws when the import as a whole cannot go on. */
  async send(rows: readonly ReadyRow[], reject: Reject): Promise<void> {
    if (rows.length === 0) return
    const { counts, linkedRecords } = this.#options
    await linkedRecords?.resolve(rows.flatMap(({ linked }) => Object.values(linked)))
    const refuse = (row: ReadyRow, errors: readonly ErrorObject[]): void =>
      reject({
        line: row.line,
        cells: row.cells,
        reason: [...errors.map(rowReason), ...this.#notCreated(row)].join(' '),
      })
    try {
      const { results, meta } = await this.#post(rows)
      counts.created += meta.created
      counts.updated += meta.updated
      counts.unchanged += meta.unchanged
      for (const { index, errors } of results) if (errors !== undefined) refuse(rows[index] as ReadyRow, errors)
    } catch (error) {
      if (!(error instanceof KontorError)) throw error
      if (error.code === 'idempotency_key_reused') {
        throw new CommandFailed(
          'The file or the command line has changed since the import that is to be resumed. Import it anew, ' +
            'without --resume.',
          { cause: error },
        )
      }
      if (error.code !== 'payload_too_large') throw error
      if (rows.length === 1) return refuse(rows[0] as ReadyRow, error.errors)
      const half = Math.ceil(rows.length / 2)
      await this.send(rows.slice(0, half), reject)
      await this.send(rows.slice(half), reject)
    }
  }

  #post(rows: readonly ReadyRow[]) {
    const { rest, workspace, object, matchOn, country, replaced, dryRun, run, persistence } = this.#options
    const body = {
      data: rows.map((row) => ({ type: object, attributes: this.#attributesOf(row) })),
      ...(country !== undefined && { default_country: country }),
      ...(matchOn !== undefined && {
        match_on: matchOn,
        meta: Object.fromEntries(replaced.map((name) => [name, { collection: 'replace' as const }])),
      }),
    }
    const input = { workspace, object, body, atomic: false, ...(dryRun && { dry_run: true }) }
    const key = `import-${run}-${rows[0]?.line}-${rows.at(-1)?.line}-${rows.length}`
    return persist(async () => {
      const signal = AbortSignal.timeout(requestMsMax)
      const answer = (await rest.call(records.createMany, input, dryRun ? { signal } : { signal, idempotencyKey: key }))
        .body
      if ('results' in answer) return answer
      throw new CommandFailed('The server is older than this command: it cannot return the result of each row.')
    }, persistence)
  }

  /** In a dry run, without the references to records that are not there yet. */
  #attributesOf({ attributes, linked }: ReadyRow): Record<string, unknown> {
    const { linkedRecords } = this.#options
    return Object.fromEntries(
      Object.entries(attributes).filter(([name]) => {
        const found = linked[name] && linkedRecords?.found(linked[name])
        return found?.id !== undefined || found?.wouldBeCreated !== true
      }),
    )
  }

  /** Says why linked records of a row could not be created. */
  #notCreated({ linked }: ReadyRow): string[] {
    return Object.values(linked).flatMap((value) => {
      const found = this.#options.linkedRecords?.found(value)
      return found === undefined || found.id !== undefined || found.wouldBeCreated
        ? []
        : [`The ${value.entity} was not created: ${found.reason}`]
    })
  }
}
