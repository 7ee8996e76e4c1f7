import type { NewObject } from '@kontor/contract'
import type { WriteContext } from '../../kernel/implement.ts'
import type { StoredSchema } from './model.ts'

/** What an endpoint was sent: checked by the contract, in the order in which it was written, and where in the body it stood. */
export type Sent<T> = { readonly value: T; readonly path: readonly (string | number)[] }

/** Changing schemas is the work of a module above this one, which knows the records; `app.ts` hands it over. */
export type SchemaChanges = {
  readonly create: (ctx: WriteContext, given: Sent<NewObject>) => Promise<StoredSchema>
}
