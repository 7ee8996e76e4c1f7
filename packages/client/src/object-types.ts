import type { AppContract, CallInput, Output } from '@kontor/contract'

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

type List = AppContract['resources']['list']

export type NameOf<O> = keyof O & string

export type Page<O, R> = Omit<Output<List>, 'data' | 'included'> & {
  readonly data: R[]
  readonly included: Of<O, NameOf<O>, 'record'>[]
}
export type One<O, R> = { readonly data: R; readonly included: Of<O, NameOf<O>, 'record'>[] }

export type Of<O, N extends keyof O, Part extends keyof ObjectTypes> = O[N] extends ObjectTypes ? O[N][Part] : never
/** The object at the other end of a relationship. */
export type Target<O, N extends keyof O, R extends keyof Of<O, N, 'related'>> = Of<O, N, 'related'>[R] & NameOf<O>

export type Listing = CallInput<List>
/** The parameters of a list of an object. */
export type QuestionOf<O, N extends keyof O, Include = Of<O, N, 'include'>> = Pick<Listing, 'page' | 'search'> & {
  readonly fields?: Fields<O>
  readonly filter?: Of<O, N, 'filter'>
  readonly sortOrder?: Sort<Of<O, N, 'column'>> | Sort<Of<O, N, 'column'>>[]
  readonly include?: Include[]
}
/** The fields of a sparse response, for the records of each object. */
export type Fields<O> = { readonly [M in NameOf<O>]?: FieldOf<Of<O, M, 'record'>>[] }
type FieldOf<R> = KeysOf<R, 'attributes'> | KeysOf<R, 'relationships'>
type KeysOf<R, Part extends string> = R extends { readonly [P in Part]: infer Values } ? keyof Values & string : never
type Sort<Column> = { column: Column; dir: 'ASC' | 'DESC' }

export type Links = CallInput<AppContract['resources']['create']>['body']['data']['relationships']

/** A path of an include that begins with a relationship. */
export type From<R extends string> = R | `${R}.${string}`
