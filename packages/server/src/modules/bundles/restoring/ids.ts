import { createHash } from 'node:crypto'
import { derivedId } from '../../../kernel/ids.ts'

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Characters of an id before its random end: the time and the order within it. */
const orderedLength = 24

/** The version of ids that begin with their time. */
const ordered = '7'

const versionAt = 14

/**
 * Derives the new id of something. Of ids that begin with a time only the end changes, so that records keep their
 * order. The same salt gives the same ids: a restore that is repeated finds what it has written.
 */
export function newIdOf(salt: string, id: string): string {
  if (id[versionAt] !== ordered) return derivedId('restored', salt, id)
  return id.slice(0, orderedLength) + createHash('sha256').update(`${salt} ${id}`).digest('hex').slice(0, 12)
}

export type IdChanges = {
  /** Ids that become certain others: users, the workspace. */
  readonly known: ReadonlyMap<string, string>
  /** The ids of a bundle that all become new ones; undefined if they stay. */
  readonly renewed: ReadonlySet<string> | undefined
  readonly salt: string
}

/** Returns the change of a text with ids, wherever they are in it; undefined if none changes. */
export function idRewriter({ known, renewed, salt }: IdChanges): ((text: string) => string) | undefined {
  if (renewed === undefined && [...known].every(([from, to]) => from === to)) return undefined
  const idOf = (id: string): string => known.get(id) ?? (renewed?.has(id) === true ? newIdOf(salt, id) : id)
  return (text) => text.replace(uuid, idOf)
}
