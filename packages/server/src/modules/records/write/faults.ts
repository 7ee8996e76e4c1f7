import { suggestion } from '@kontor/contract'
import { FaultRoom, Failure, type Fault } from '../../../kernel/errors.ts'
import { pointer } from '../../../lib/pointers.ts'
import type { ObjectModel } from '../../objects/index.ts'
import { violationsOf, type Violation, type RecordData } from '../../fields/index.ts'

type Path = readonly (string | number)[]

/** The position of the item that a path leads into, where the body has many. */
const itemOf = ([member, position]: Path): number | undefined =>
  member === 'data' && typeof position === 'number' ? position : undefined

/** A text, or a function that makes it with the names that are allowed: shorter where there are many faults. */
export type FaultText =
  | string
  | ((isScarce: boolean) => { readonly detail: string; readonly allowed?: readonly string[] })

/** The text for a name that does not exist: with the nearest known one, and those that are allowed. */
export const unknownName =
  (detail: string, name: string, known: readonly string[], allowed = known): FaultText =>
  (isScarce) =>
    isScarce ? { detail } : { detail: `${detail}${suggestion(name, known)}`, allowed }

/** Faults of a body whose `meta` lists the allowed names; those after them mostly allow the same. */
const listsMax = 10

/** Collects the faults of a body, so that one answer names them all, or as many as it has room for. */
export class Faults {
  readonly #list: Fault[] = []
  readonly #room = new FaultRoom()
  #lists = 0

  /** A text that takes long to make is made only where it is told. */
  add(path: Path, text: FaultText): void {
    const { isScarce } = this.#room
    if (!this.#room.take(itemOf(path))) return
    const { detail, allowed } = typeof text === 'string' ? { detail: text } : text(isScarce)
    const isListed = allowed !== undefined && this.#lists++ < listsMax
    this.#list.push({
      code: 'invalid_body',
      detail,
      source: { pointer: pointer(path) },
      ...(isListed && { meta: { allowed } }),
    })
  }

  /** Adds the fault of a name that does not exist, with the names that do. */
  addUnknown(path: Path, detail: string, name: string, known: readonly string[]): void {
    this.add(path, unknownName(detail, name, known))
  }

  get isAny(): boolean {
    return this.#list.length > 0
  }

  throwIfAny(): void {
    const [first, ...rest] = this.#list
    if (first !== undefined) throw new Failure([first, ...rest])
  }
}

/** Takes faults at locations that are not those of the body, and corrects the locations. */
export type FaultSink = Pick<Faults, 'add'>

type Written = {
  readonly before: RecordData | undefined
  readonly data: RecordData
  readonly path: readonly (string | number)[]
}

const textOf = ({ field, detail }: Violation): string => `${field} ${detail}`

/**
 * Refuses writes that a pending schema change would forbid, so that a record which was found to fit keeps fitting.
 * Existing violations of a record are left for the change to find.
 */
export function checkPendingChange({ evolution }: ObjectModel, records: readonly Written[]): void {
  if (evolution === undefined) return
  const faults = new Faults()
  for (const { before, data, path } of records) {
    const known = new Set(before === undefined ? [] : violationsOf(evolution, before).map(textOf))
    for (const violation of violationsOf(evolution, data)) {
      if (!known.has(textOf(violation)))
        faults.add(
          [...path, violation.field],
          `${violation.detail} A change of the schema that is in progress requires it.`,
        )
    }
  }
  faults.throwIfAny()
}
