import { workspaceSlug } from '@kontor/contract'
import { LRUCache } from 'lru-cache'
import type { ReadTx } from '../../db/tx.ts'
import { actorId, mayEnter, type Actor, type Membership } from '../../kernel/actor.ts'
import { findWorkspace, findWorkspaceOfMember, type WorkspaceRow } from './store.ts'

const cachedMax = 10_000

/**
 * How long a node trusts what it has read of a caller. A change made on this node counts at once; one made on another
 * node counts here after this time at the latest (docs/decisions/0006).
 */
export const trustMs = 5000

/** Finds what a caller is in a workspace; undefined for unknown and foreign workspaces alike. */
export class Memberships {
  readonly #cache = new LRUCache<string, Membership>({ max: cachedMax, ttl: trustMs })
  #forgotten = 0

  async find(tx: ReadTx, actor: Actor, slug: string): Promise<Membership | undefined> {
    const membership = await this.#find(tx, actor, slug)
    // What is kept is what the person is; into which workspaces a key or an app of theirs may is asked each time.
    return membership !== undefined && mayEnter(actor, membership.workspaceId) ? membership : undefined
  }

  async #find(tx: ReadTx, actor: Actor, slug: string): Promise<Membership | undefined> {
    const key = `${actor.kind}:${actorId(actor)}:${slug}`
    const cached = this.#cache.get(key)
    if (cached !== undefined) return cached
    // What no workspace can be called is not asked for: Postgres refuses some texts altogether.
    if (!workspaceSlug.safeParse(slug).success) return undefined
    const forgotten = this.#forgotten
    const membership = await this.#read(tx, actor, slug)
    // What was read before everything was forgotten may be what was to be forgotten.
    if (membership !== undefined && forgotten === this.#forgotten) this.#cache.set(key, membership)
    return membership
  }

  /** Forgets everybody: memberships change rarely and are read again in a fraction of a millisecond. */
  forget(): void {
    this.#cache.clear()
    this.#forgotten++
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
