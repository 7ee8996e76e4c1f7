import type { RecordResource } from '@kontor/contract'

/** One record of a body: `{type, attributes}` and its location. */
export type GivenRecord = {
  readonly type: string
  readonly attributes: RecordResource['attributes'] | Record<string, unknown>
  readonly path: readonly (string | number)[]
}

/** A change of one record of a body. */
export type GivenChange = GivenRecord & { readonly id: string }
