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
export function assign(
  drafts: ReadonlyMap<unknown, Draft>,
  { key, back }: PairKeys,
  id: string,
  to: string | undefined,
): void {
  const own = drafts.get(id) as Draft
  if (own[key] === to) return
  release(drafts.get(own[key]), back, id)
  delete own[key]
  if (to === undefined) return
  const other = drafts.get(to) as Draft
  release(drafts.get(other[back]), key, to)
  other[back] = id
  own[key] = to
}

function release(draft: Draft | undefined, key: string, from: string): void {
  if (draft?.[key] === from) delete draft[key]
}
