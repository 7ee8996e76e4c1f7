import { defined } from '../../../lib/guards.ts'

/**
 * The stored names of two one-to-one fields that are inverse to each other: of the record's own end, and of the way
 * back.
 */
export type PairKeys = { readonly key: string; readonly back: string }

export type Draft = Record<string, unknown>

/**
 * Gives a record another counterpart, or none, in documents that are consistent at both ends, and keeps them
 * consistent: previous counterparts of either record are left without one. All records that the documents name are
 * among them; a record may be its own counterpart. Pure.
 */
export function assign(drafts: ReadonlyMap<unknown, Draft>, { key, back }: PairKeys, id: string, to: unknown): void {
  const own = defined(drafts.get(id))
  if (own[key] === to) return
  release(drafts.get(own[key]), back, id)
  delete own[key]
  if (to === undefined) return
  const other = defined(drafts.get(to))
  release(drafts.get(other[back]), key, to)
  other[back] = id
  own[key] = to
}

function release(draft: Draft | undefined, key: string, from: unknown): void {
  if (draft !== undefined && draft[key] === from) delete draft[key]
}
