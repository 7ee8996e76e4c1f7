import { records, type ErrorObject } from '@kontor/contract'
import { KontorError, type RestClient } from '@kontor/client'
import { CommandFailed } from '../errors.ts'
import { persist, type Persistence } from './persist.ts'
import type { Tally } from './tally.ts'

export type ReadyRow = { readonly line: number; readonly cells: readonly string[]; readonly attributes: Record<string, unknown> }
export type Rejection = { readonly line: number; readonly cells: readonly string[]; readonly reason: string }

export type DeliveryOptions = {
  readonly rest: RestClient
  readonly workspace: string
  readonly object: string
  readonly matchOn: string | undefined
  readonly dryRun: boolean
  /** Names this import: the same rows of the same run are never written twice. */
  readonly run: string
  readonly tally: Tally
  readonly reject: (rejection: Rejection) => void
  readonly persistence: Persistence
}

/** Longest that one request may take; a repeated one finds its answer by its key. */
const requestMsMax = 120_000

/** Refusals that are about rows, not about the import as a whole. */
const rowCodes = new Set<ErrorObject['code'] | undefined>(['invalid_body', 'unique_violation', 'match_ambiguous', 'related_not_found', 'payload_too_large'])

/** Sends rows in bulk. A bulk is all or nothing, so the rows at fault are taken out until the rest is accepted. */
export class Delivery {
  readonly #options: DeliveryOptions

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  /** Writes the rows that the server accepts and rejects the others. Throws when the import as a whole cannot go on. */
  async send(rows: readonly ReadyRow[]): Promise<void> {
    if (rows.length === 0) return
    const refusal = await this.#write(rows)
    if (refusal === undefined) return
    const faulty = faultsByRow(refusal, rows)
    if (faulty.size > 0) {
      for (const [row, errors] of faulty) this.#reject(row, errors)
      await this.send(rows.filter((row) => !faulty.has(row)))
    } else if (rows.length === 1) {
      this.#reject(rows[0] as ReadyRow, refusal.errors)
    } else {
      // A conflict names one row of perhaps many: halving finds them all with the fewest requests.
      const half = Math.ceil(rows.length / 2)
      await this.send(rows.slice(0, half))
      await this.send(rows.slice(half))
    }
  }

  /** Undefined once the rows are written, or why they are not. */
  async #write(rows: readonly ReadyRow[]): Promise<KontorError | undefined> {
    const { tally, matchOn, dryRun } = this.#options
    try {
      if (matchOn === undefined) tally.counts.created += (await this.#post(rows, dryRun)).data.length
      else if ((dryRun || !tally.knowsTime) && !(await this.#rehearse(rows))) tally.counts.unchanged += rows.length
      else tally.count((await this.#post(rows, dryRun)).data)
      return undefined
    } catch (error) {
      if (error instanceof KontorError && error.code === 'idempotency_key_reused') {
        throw new CommandFailed('The file or the command line has changed since the import that is to be resumed. Import it anew, without --resume.', { cause: error })
      }
      if (error instanceof KontorError && isAboutRows(error)) return error
      throw error
    }
  }

  /** Whether writing the rows would change anything; the answer also tells the server's clock. */
  async #rehearse(rows: readonly ReadyRow[]): Promise<boolean> {
    const { data, meta } = await this.#post(rows, true)
    const changes = (meta?.diff?.length ?? 0) > 0
    if (changes) this.#options.tally.learnTime(data)
    return changes
  }

  #post(rows: readonly ReadyRow[], dryRun: boolean) {
    const { rest, workspace, object, matchOn, run, persistence } = this.#options
    const body = { data: rows.map(({ attributes }) => ({ type: object, attributes })), ...(matchOn !== undefined && { match_on: matchOn }) }
    const input = { workspace, object, body, ...(dryRun && { dry_run: true }) }
    const key = `import-${run}-${rows[0]?.line}-${rows.at(-1)?.line}-${rows.length}`
    return persist(async () => {
      const signal = AbortSignal.timeout(requestMsMax)
      return (await rest.call(records.createMany, input, dryRun ? { signal } : { signal, idempotencyKey: key })).body
    }, persistence)
  }

  #reject({ line, cells }: ReadyRow, errors: readonly ErrorObject[]): void {
    this.#options.tally.counts.rejected++
    this.#options.reject({ line, cells, reason: errors.map(reasonOf).join(' ') })
  }
}

const rowPointer = /^\/data\/(\d+)(?:\/attributes)?(?:\/(.*))?$/

/** A fault elsewhere, in `match_on` say, meets every row alike. */
const isAboutRows = ({ code, errors }: KontorError): boolean =>
  rowCodes.has(code) && errors.every(({ source }) => source?.pointer === undefined || rowPointer.test(source.pointer))

/** The rows that a refusal names, where it names all that are at fault. */
function faultsByRow({ code, errors }: KontorError, rows: readonly ReadyRow[]): Map<ReadyRow, ErrorObject[]> {
  const faulty = new Map<ReadyRow, ErrorObject[]>()
  if (code !== 'invalid_body') return faulty
  for (const error of errors) {
    const row = rows[Number(rowPointer.exec(error.source?.pointer ?? '')?.[1] ?? -1)]
    if (row !== undefined) faulty.set(row, [...(faulty.get(row) ?? []), error])
  }
  return faulty
}

function reasonOf({ detail, source, meta }: ErrorObject): string {
  const field = rowPointer.exec(source?.pointer ?? '')?.[2]?.replaceAll('/', '.')
  const holder = meta?.['existing_id']
  return `${field === undefined ? '' : `${field}: `}${detail}${typeof holder === 'string' ? ` Its id: ${holder}.` : ''}`
}
