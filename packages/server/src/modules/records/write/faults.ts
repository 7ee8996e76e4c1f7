import { Failure, type Fault } from '../../../kernel/errors.ts'
import { pointer } from '../../../lib/pointers.ts'

type Path = readonly (string | number)[]

/** Collects the faults of a body, so that one answer names them all. */
export class Faults {
  readonly #list: Fault[] = []

  add(path: Path, detail: string): void {
    this.#list.push({ code: 'invalid_body', detail, source: { pointer: pointer(path) } })
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
