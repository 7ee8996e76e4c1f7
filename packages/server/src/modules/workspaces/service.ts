import { workspaceSlug } from '@kontor/contract'
import { LRUCache } from 'lru-cache'
import type { ReadTx } from '../../db/tx.ts'
import type { Clock } from '../../kernel/clock.ts'
import { holderId, mayEnter, type Actor, type Membership } from '../../kernel/actor.ts'
import { roomFor } from '../../lib/caches.ts'
import { findWorkspace, findWorkspaceOfMember, type WorkspaceRow } from './store.ts'

const cachedMax = 10_000

/**
 * The time for which a node trusts what it has read about a caller. A change takes effect at once on its node, and
 * on another when it hears of it, or within this time (docs/decisions/0024).
 */
export const trustMs = 5000

/** Finds a caller's membership of a workspace; undefined for unknown and foreign workspaces alike. */
export class Memberships {
  readonly #cache: LRUCache<string, Membership>
  #forgotten = 0
  #unheard = 0

  constructor({ monotonicMs }: Pick<Clock, 'monotonicMs'>) {
    this.#cache = new LRUCache({ ...roomFor(cachedMax), ttl: trustMs, perf: { now: monotonicMs } })
  }

  async find(tx: ReadTx, actor: Actor, slug: string): Promise<Membership | undefined> {
    const membership = await this.#find(tx, actor, slug)
    // The cache holds the person's membership; which workspaces a key or an app of theirs may enter is checked each
    // time.
    return membership !== undefined && mayEnter(actor, membership.workspaceId) ? membership : undefined
  }

  async #find(tx: ReadTx, actor: Actor, slug: string): Promise<Membership | undefined> {
    const key = `${actor.kind}:${holderId(actor)}:${slug}`
    const cached = this.#unheard > 0 ? undefined : this.#cache.get(key)
    if (cached !== undefined) return cached
    // A text that cannot be a slug is not looked up: Postgres refuses some texts altogether.
    if (!workspaceSlug.safeParse(slug).success) return undefined
    const forgotten = this.#forgotten
    const membership = await this.#read(tx, actor, slug)
    // A membership that was read before the cache was cleared may be outdated.
    if (membership !== undefined && forgotten === this.#forgotten) this.#cache.set(key, membership)
    return membership
  }

  /** Clears the cache: memberships change rarely and are read again in a fraction of a millisecond. */
  forget(): void {
    this.#cache.clear()
    this.#forgotten++
  }

  /** Tells, whenever it is asked, whether what memberships say may have changed since. */
  watch(): () => boolean {
    const forgotten = this.#forgotten
    return () => forgotten !== this.#forgotten || this.#unheard > 0
  }

  /**
   * Runs work that changes what memberships say, and trusts none meanwhile: others may see what it has committed before
   * this process hears of it, much before where the answer is late or lost.
   */
  async whileChanging<T>(work: () => Promise<T>): Promise<T> {
    this.#unheard++
    try {
      return await work()
    } finally {
      this.#unheard--
      this.forget()
    }
  }

  async #read(tx: ReadTx, actor: Actor, slug: string): Promise<Membership | undefined> {
    if (actor.kind === 'workspace-key') {
      const row = await findWorkspace(tx, slug)
      return row && present(row, 'member')
    }
    const row = await findWorkspaceOfMember(tx, slug, actor.userId)
    return row && present(row, row.role)
  }
}

const present = (row: WorkspaceRow, role: Membership['role']): Membership => ({
  workspaceId: row.id,
  slug: row.slug,
  role,
  schemaEpoch: row.schema_epoch,
})
