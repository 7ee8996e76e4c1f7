import type { AppContract, CallInput, Output } from '@kontor/contract'
import type { NameOf, Of } from './object-types.ts'
import type { AllFields, Fields, KnownFields, RecordOf } from './sparse-fields.ts'

type List = AppContract['resources']['list']

/** A page of records of an object, narrowed to the fields requested. */
export type Page<O, N extends keyof O, F = AllFields> = Omit<Output<List>, 'data' | 'included'> & {
  readonly data: RecordOf<O, N, F>[]
  readonly included: RecordOf<O, NameOf<O>, F>[]
}
export type One<O, N extends keyof O, F = AllFields> = {
  readonly data: RecordOf<O, N, F>
  readonly included: RecordOf<O, NameOf<O>, F>[]
}

export type Listing = CallInput<List>
/** The parameters of a list of an object. */
export type QuestionOf<O, N extends keyof O, F = Fields<O>, Include = Of<O, N, 'include'>> = Pick<
  Listing,
  'page' | 'search'
> &
  ShownOf<O, F, Include> & {
    readonly filter?: Of<O, N, 'filter'>
    readonly sortOrder?: Sort<Of<O, N, 'column'>> | Sort<Of<O, N, 'column'>>[]
  }
/** The parameters that limit and extend a response. */
export type ShownOf<O, F, Include> = { readonly fields?: KnownFields<O, F>; readonly include?: Include[] }
type Sort<Column> = { column: Column; dir: 'ASC' | 'DESC' }

export type Links = CallInput<AppContract['resources']['create']>['body']['data']['relationships']

/** A path of an include that begins with a relationship. */
export type From<R extends string> = R | `${R}.${string}`
