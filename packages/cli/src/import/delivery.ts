import { records, type ErrorObject } from '@kontor/contract'
import { KontorError, type RestClient } from '@kontor/client'
import { CommandFailed } from '../errors.ts'
import { conflictField, findConflicts, type Conflict, type Rehearsal } from './conflicts.ts'
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
  /** Whether an earlier attempt of this run has written some of the rows. */
  readonly resumed: boolean
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
    const faulty = rows.length === 1 ? new Map([[0, faultOf(refusal.errors)]]) : await this.#findFaulty(refusal, rows)
    if (faulty.size > 0) {
      for (const [position, conflict] of faulty) this.#reject(rows[position] as ReadyRow, conflict)
      await this.send(rows.filter((_, position) => !faulty.has(position)))
    } else {
      // The refusal does not tell which rows it is about: halving finds them with the fewest requests.
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
      else if (dryRun || !tally.knowsTime) await this.#rehearseFirst(rows, matchOn)
      else tally.count((await this.#post(rows, false)).data)
      return undefined
    } catch (error) {
      if (error instanceof KontorError && error.code === 'idempotency_key_reused') {
        throw new CommandFailed('The file or the command line has changed since the import that is to be resumed. Import it anew, without --resume.', { cause: error })
      }
      if (error instanceof KontorError && isAboutRows(error)) return error
      throw error
    }
  }

  /** A rehearsal tells the server's clock, and whether there is anything to write. */
  async #rehearseFirst(rows: readonly ReadyRow[], matchOn: string): Promise<void> {
    const { tally, dryRun } = this.#options
    const rehearsal = await this.#rehearse(rows, matchOn)
    if (rehearsal.changes) tally.learnTime(rehearsal.data)
    if (!rehearsal.changes) tally.counts.unchanged += rows.length
    else tally.count(dryRun ? rehearsal.data : (await this.#post(rows, false)).data)
  }

  /** Why rows are refused, by their positions; none where that cannot be told. */
  async #findFaulty(refusal: KontorError, rows: readonly ReadyRow[]): Promise<Map<number, Conflict>> {
    const { object, matchOn } = this.#options
    const field = matchOn === undefined ? conflictField(refusal) : undefined
    if (field === undefined) return faultsByPosition(refusal)
    try {
      return findConflicts(await this.#rehearse(rows, field), object, field)
    } catch (error) {
      // The caller may not change the records that it would meet, for example.
      if (error instanceof KontorError) return new Map()
      throw error
    }
  }

  /** What writing the rows would do. */
  async #rehearse(rows: readonly ReadyRow[], matchOn: string): Promise<Rehearsal> {
    const { data, meta } = await this.#post(rows, true, matchOn)
    return { data, changes: (meta?.diff?.length ?? 0) > 0 }
  }

  #post(rows: readonly ReadyRow[], dryRun: boolean, matchOn = this.#options.matchOn) {
    const { rest, workspace, object, run, persistence } = this.#options
    const body = { data: rows.map(({ attributes }) => ({ type: object, attributes })), ...(matchOn !== undefined && { match_on: matchOn }) }
    const input = { workspace, object, body, ...(dryRun && { dry_run: true }) }
    const key = `import-${run}-${rows[0]?.line}-${rows.at(-1)?.line}-${rows.length}`
    return persist(async () => {
      const signal = AbortSignal.timeout(requestMsMax)
      return (await rest.call(records.createMany, input, dryRun ? { signal } : { signal, idempotencyKey: key })).body
    }, persistence)
  }

  #reject({ line, cells }: ReadyRow, { reason, isThere }: Conflict): void {
    const { tally, reject, resumed } = this.#options
    // What the import wrote before it was cut off stands in nobody's way.
    if (resumed && isThere) tally.counts.unchanged++
    else {
      tally.counts.rejected++
      reject({ line, cells, reason })
    }
  }
}

const rowPointer = /^\/data\/(\d+)(?:\/attributes)?(?:\/(.*))?$/

/** A fault elsewhere, in `match_on` say, meets every row alike. */
const isAboutRows = ({ code, errors }: KontorError): boolean =>
  rowCodes.has(code) && errors.every(({ source }) => source?.pointer === undefined || rowPointer.test(source.pointer))

/** The rows that a refusal names, with why. */
function faultsByPosition({ errors }: KontorError): Map<number, Conflict> {
  const byPosition = Map.groupBy(errors, ({ source }) => Number(rowPointer.exec(source?.pointer ?? '')?.[1] ?? -1))
  byPosition.delete(-1)
  return new Map([...byPosition].map(([position, some]) => [position, faultOf(some)]))
}

const faultOf = (errors: readonly ErrorObject[]): Conflict => ({ reason: errors.map(reasonOf).join(' '), isThere: false })

function reasonOf({ detail, source, meta }: ErrorObject): string {
  const field = rowPointer.exec(source?.pointer ?? '')?.[2]?.replaceAll('/', '.')
  const holder = meta?.['existing_id']
  return `${field === undefined ? '' : `${field}: `}${detail}${typeof holder === 'string' ? ` Its id: ${holder}.` : ''}`
}
