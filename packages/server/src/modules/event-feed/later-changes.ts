import type { Change } from '@kontor/contract'

type FieldName = Change['path'][number] | undefined

/** Changes of one field, each the first after some moment, and the position of the first moment without one. */
type FieldChanges = { next: number; readonly changes: { readonly sequence: number; readonly change: Change }[] }

/**
 * The changes of one record after some moments. Of all that are noted, it keeps the first of each field after each
 * moment, so that a record that changes for ever takes no more room than its moments.
 */
export class LaterChanges {
  readonly #moments: readonly number[]
  readonly #fields = new Map<FieldName, FieldChanges>()

  constructor(moments: readonly number[]) {
    this.#moments = moments.toSorted((a, b) => a - b)
  }

  /** Notes the changes of one event; events come in the order of their sequences. */
  note(sequence: number, diff: readonly Change[]): void {
    for (const change of diff) {
      const field = this.#fieldOf(change.path[0])
      const before = field.next
      while ((this.#moments[field.next] ?? Infinity) < sequence) field.next++
      if (field.next > before) field.changes.push({ sequence, change })
    }
  }

  /** Returns the first change of each field after a moment. */
  firstAfter(moment: number): Change[] {
    return [...this.#fields.values()].flatMap(
      ({ changes }) => changes.find(({ sequence }) => sequence > moment)?.change ?? [],
    )
  }

  #fieldOf(name: FieldName): FieldChanges {
    const known = this.#fields.get(name)
    if (known !== undefined) return known
    const field = { next: 0, changes: [] }
    this.#fields.set(name, field)
    return field
  }
}
