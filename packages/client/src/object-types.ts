/** The types that `kontor types` writes for one object. */
export type ObjectTypes = {
  record: object
  input: object
  change: object
  links: object
  column: string
  filter: object
  /** Fields by which a creation may find what it changes instead. */
  matchOn: string
  include: string
  related: object
}

export type NameOf<O> = keyof O & string
export type Of<O, N extends keyof O, Part extends keyof ObjectTypes> = O[N] extends ObjectTypes ? O[N][Part] : never
/** The object at the other end of a relationship. */
export type Target<O, N extends keyof O, R extends keyof Of<O, N, 'related'>> = Of<O, N, 'related'>[R] & NameOf<O>
