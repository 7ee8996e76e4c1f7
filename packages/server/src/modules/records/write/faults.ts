import { FaultRoom, Failure, type Fault } from '../../../kernel/errors.ts'
import { pointer } from '../../../lib/pointers.ts'

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
