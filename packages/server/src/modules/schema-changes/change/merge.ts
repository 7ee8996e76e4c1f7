import { isDeepStrictEqual } from 'node:util'
import { isList, isRecord, isString } from '../../../lib/guards.ts'

/** Two changes of one thing that cannot both be had; the names lead to it. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
  readonly path: readonly string[]

  constructor(path: readonly string[]) {
    super(`Both change ${path.join('.')}`)
    this.path = path
  }
}

type Sides = { readonly base: unknown; readonly mine: unknown; readonly theirs: unknown }

/**
 * Merges two changes of `base`: member by member, lists of texts (options, required fields) as sets.
 * Undefined is what is not there. Throws `Conflict` where both say something else about the same.
 */
export function merged({ base, mine, theirs }: Sides, path: readonly string[] = []): unknown {
  if (isDeepStrictEqual(mine, base) || isDeepStrictEqual(mine, theirs)) return theirs
  if (isDeepStrictEqual(theirs, base)) return mine
  if (isRecord(base) && isRecord(mine) && isRecord(theirs)) {
    const names = new Set([...Object.keys(theirs), ...Object.keys(mine)])
    const members = [...names].map((name): [string, unknown] => [
      name,
      merged({ base: own(base, name), mine: own(mine, name), theirs: own(theirs, name) }, [...path, name]),
    ])
    return Object.fromEntries(members.filter(([, value]) => value !== undefined))
  }
  if (isTexts(base) && isTexts(mine) && isTexts(theirs))
    return [
      ...theirs.filter((text) => mine.includes(text) || !base.includes(text)),
      ...mine.filter((text) => !base.includes(text) && !theirs.includes(text)),
    ]
  throw new Conflict(path)
}

const own = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined

const isTexts = (value: unknown): value is readonly string[] => isList(value) && value.every(isString)
