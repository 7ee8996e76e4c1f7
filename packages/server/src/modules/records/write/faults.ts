import { FaultRoom, Failure, type Fault } from '../../../kernel/errors.ts'
import { pointer } from '../../../lib/pointers.ts'
import type { ObjectModel } from '../../objects/index.ts'
import { violationsOf, type Violation, type RecordData } from '../../fields/index.ts'

type Path = readonly (string | number)[]

/** The position of the item that a path leads into, where the body has many. */
const itemOf = ([member, position]: Path): number | undefined =>
  member === 'data' && typeof position === 'number' ? position : undefined

/** Collects the faults of a body, so that one answer names them all, or as many as it has room for. */
export class Faults {
  readonly #list: Fault[] = []
  readonly #room = new FaultRoom()

  /** A text that takes long to make is made only where it is told, and shorter where there are many. */
  add(path: Path, detail: string | ((isScarce: boolean) => string)): void {
    const { isScarce } = this.#room
    if (!this.#room.take(itemOf(path))) return
    const text = typeof detail === 'string' ? detail : detail(isScarce)
    this.#list.push({ code: 'invalid_body', detail: text, source: { pointer: pointer(path) } })
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
