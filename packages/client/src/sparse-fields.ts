import type { NameOf, Of } from './object-types.ts'

/** The fields of a sparse response, for the records of each object. */
export type Fields<O> = { readonly [M in NameOf<O>]?: readonly FieldOf<Of<O, M, 'record'>>[] }
type FieldOf<R> = R extends { readonly attributes: infer Attributes } ? keyof Attributes & string : never

/** Sparse fields as a caller has written them: names of other objects do not compile. */
export type KnownFields<O, F> = F & { readonly [M in Exclude<keyof F, NameOf<O>>]: never }

/**
 * A record of a response, narrowed to the fields requested of its object: attributes that were not requested are
 * absent, except system attributes, and relationships that were not requested are present only if they are included.
 * Without fields it is the record as it is.
 */
type Sparse<R, F> = [keyof F] extends [never] ? R : R extends Shape ? Narrowed<R, F> : R

type Shape = { readonly type: string; readonly attributes?: object; readonly relationships?: object }

type Narrowed<R extends Shape, F> = {
  [P in keyof R]: P extends 'attributes'
    ? Shown<R[P], RequestedOf<R, F>>
    : P extends 'relationships'
      ? Related<R[P], RequestedOf<R, F>, F>
      : R[P]
}

/** The names requested of the object of a record; any where its object is not among the fields. */
type RequestedOf<R extends Shape, F> = R['type'] extends keyof F
  ? F[R['type']] extends readonly (infer Name)[]
    ? Name
    : string
  : string

type Shown<Attributes, Name> = { [A in keyof Attributes as A extends Name | `_${string}` ? A : never]: Attributes[A] }

/** Relationships, with the records that they embed narrowed too. */
type Related<Links, Name, F> = {
  [L in keyof Links as L extends Name ? L : never]: Embedding<Links[L], F>
} & { [L in keyof Links as L extends Name ? never : L]?: Embedding<Links[L], F> }

type Embedding<Link, F> = Link extends { readonly data: infer Data }
  ? Omit<Link, 'data'> & { data: Data extends readonly (infer One)[] ? Sparse<One, F>[] : Sparse<Data, F> }
  : Link

/** The record of an object in a response with these fields. */
export type RecordOf<O, N extends keyof O, F> = Sparse<Of<O, N, 'record'>, F>

/** The fields of a request that has none. */
export type AllFields = object

/** Returns the parameters of a request for one record; an array is the includes. */
export const shownBy = (shown: object | undefined): object =>
  Array.isArray(shown) ? { include: shown } : (shown ?? {})
