import { typeName } from '../../object-description.ts'

/** Returns the form in which generators compare names: they drop all but letters and digits, and capitalise words. */
const squashed = (name: string): string => name.replaceAll(/\W|_/g, '').toLowerCase()

/**
 * Suffixes of the ids of operations on a relationship: `CBand_members`. Where a generator would write the same for two
 * of them (`record_parts` of `c_x`, and `parts` of `c_x_record`), the later one gets a number.
 */
export class RelationshipSuffixes {
  readonly #known = new Map<string, string>()
  readonly #taken = new Set<string>()

  of(object: string, relationship: string): string {
    const key = `${object}.${relationship}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const plain = `${typeName(object)}_${relationship}`
    let suffix = plain
    for (let number = 2; this.#taken.has(squashed(suffix)); number++) suffix = `${plain}_${number}`
    this.#taken.add(squashed(suffix))
    this.#known.set(key, suffix)
    return suffix
  }
}
