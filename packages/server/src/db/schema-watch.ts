import type { Client, Pool } from 'pg'
import { memberOf } from '../lib/guards.ts'
import { DatabaseUnavailable } from './errors.ts'
import { migrationLock } from './migrations/connected.ts'
import { knownMigrations } from './migrations/index.ts'
import { MigrationRefused } from './migrations/refused.ts'

/** Longest that a process without a connection for notices works on a schema that it does not know. */
const lookEveryMs = 4000

/** `undefined_table` and `undefined_column`: the database was migrated back behind what this process knows. */
const missing: ReadonlySet<unknown> = new Set(['42P01', '42703'])

const select = `select max(number) as current, max(number) filter (where not rolling) as floor from kontor_migration`

type Found = { readonly current: number | null; readonly floor: number | null }
type Queryable = Pick<Pool | Client, 'query'>

/**
 * Watches whether a process still knows the schema of its database while others migrate it. Once it does not, the
 * process sends nothing more, and ends (docs/decisions/0401).
 */
export class SchemaWatch {
  readonly #pool: Pool
  readonly #hears: () => boolean
  readonly #refused = Promise.withResolvers<MigrationRefused>()
  #refusal: MigrationRefused | undefined
  #looking: NodeJS.Timeout | undefined

  /** `hears` returns whether notices of migrations come through. */
  constructor(pool: Pool, hears: () => boolean) {
    this.#pool = pool
    this.#hears = hears
  }

  /** Resolves once the process no longer fits its database. */
  get refused(): Promise<MigrationRefused> {
    return this.#refused.promise
  }

  /** Throws once the process no longer fits its database. */
  assertFits(): void {
    if (this.#refusal !== undefined) throw new DatabaseUnavailable('outdated', { cause: this.#refusal })
  }

  /**
   * Begins to look: first when a connection is made by which migrations see this process. Throws `MigrationRefused`
   * where it does not fit.
   */
  async start(connect: () => Promise<void>): Promise<void> {
    this.#looking ??= setInterval(() => {
      if (!this.#hears()) void this.look()
    }, lookEveryMs).unref()
    await connect()
    await this.look()
    if (this.#refusal !== undefined) throw this.#refusal
  }

  stop(): void {
    clearInterval(this.#looking)
  }

  /**
   * Looks behind the lock of migrations, on a connection by which they see this process: the result of one that has not
   * seen it is visible here.
   */
  async lookBehindLock(client: Client): Promise<void> {
    if (this.#looking === undefined) return
    await client.query('select pg_advisory_lock_shared($1)', [migrationLock])
    await this.look(client)
    await client.query('select pg_advisory_unlock_shared($1)', [migrationLock])
  }

  /** Looks whether the process fits the database; a database that does not respond says nothing. */
  async look(db: Queryable = this.#pool): Promise<void> {
    if (this.#looking === undefined) return
    const [found] = await db.query<Found>(select).then(
      ({ rows }) => rows,
      (error: unknown): Found[] => (missing.has(memberOf(error, 'code')) ? [{ current: null, floor: null }] : []),
    )
    if (found === undefined || this.#refusal !== undefined) return
    const [current, floor] = [Number(found.current), Number(found.floor)]
    if (current < knownMigrations || floor > knownMigrations) this.#refuse(current)
  }

  #refuse(current: number): void {
    this.#refusal = new MigrationRefused(
      `The database was migrated to migration ${current} while this process was running, and this version of Kontor ` +
        `needs migration ${knownMigrations}. It ends; start the version that migrated the database.`,
    )
    this.#refused.resolve(this.#refusal)
  }
}
