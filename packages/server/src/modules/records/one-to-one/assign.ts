/** The names under which two one-to-one fields that lead to each other are stored: of the own end, and of the way back. */
export type PairKeys = { readonly key: string; readonly back: string }

export type Draft = Record<string, unknown>

/**
 * Gives a record another partner, or none, in documents that say it at both ends, and so do when this is done: whoever was the
 * partner of one of the two is nobody's now. All that the documents speak of is among them; a record may be its own partner. Pure.
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
