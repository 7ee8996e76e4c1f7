import { newSecret } from './ids.ts'

/** Stands in a text for a part that is written already. Nobody outside knows it, so no value of a caller has it in it. */
const place = newSecret(16)

/** The parts that the text of this turn asks for, in their order; undefined while nobody writes by `jsonOf`. */
let parts: string[] | undefined

/** A part of answers that is written once, however often it stands in them. It must not change, nor hold another one. */
export abstract class Written {
  #text: string | undefined

  /** Asked by `JSON.stringify`: for itself where it is not `jsonOf` that writes. */
  toJSON(): unknown {
    if (parts === undefined) return this
    this.#text ??= JSON.stringify(Object.fromEntries(Object.entries(this)))
    parts.push(this.#text)
    return place
  }
}

/** JSON as `JSON.stringify` has it, at less cost where parts of it were written before. */
export function jsonOf(value: unknown): string {
  const asked: string[] = []
  parts = asked
  try {
    const text = JSON.stringify(value)
    if (asked.length === 0) return text
    return joined(text.split(`"${place}"`), asked)
  } finally {
    parts = undefined
  }
}

/** In one go, since a text that grows by concatenation is copied once more when it is sent. */
function joined(between: readonly string[], asked: readonly string[]): string {
  const all = [between[0]]
  for (const [index, part] of asked.entries()) all.push(part, between[index + 1])
  return all.join('')
}
