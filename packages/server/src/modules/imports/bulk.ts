import type { Output, records } from '@kontor/contract'
import { invariant, memberOf } from '../../lib/guards.ts'
import type { ImportRow } from './store.ts'

/** The response to a bulk creation whose items stand for themselves. */
export type BulkResults = Extract<Output<typeof records.createMany>, { readonly results: unknown }>

/** Returns the response to a bulk creation whose items stand for themselves. */
export function bulkResults(answer: unknown): BulkResults {
  invariant(isBulk(answer), 'items that stand for themselves have results')
  return answer
}

const isBulk = (body: unknown): body is BulkResults => memberOf(body, 'results') !== undefined

type Ready = { readonly attributes: Readonly<Record<string, unknown>> }

type Target = Pick<ImportRow, 'object'> & {
  readonly options: Pick<ImportRow['options'], 'match_on' | 'default_country' | 'clear_empty' | 'mapping'>
}

/** The bulk creation of rows, each of which is written or refused. */
export function bulkInput(workspace: string, target: Target, rows: readonly Ready[]) {
  const { object, options } = target
  const { match_on, default_country, clear_empty } = options
  const body = {
    data: rows.map(({ attributes }) => ({ type: object, attributes })),
    ...(match_on !== undefined && { match_on, meta: clear_empty ? replacing(target) : {} }),
    ...(default_country !== undefined && { default_country }),
  }
  return { workspace, object, body, atomic: false }
}

/** An empty cell among others that fill a field takes away what it once held, and nothing says what that was. */
const replacing = ({ options: { mapping = [] } }: Target) => {
  const fields = mapping.map(({ field }) => field.trim())
  const several = fields.filter((field, index) => !field.includes('.') && fields.indexOf(field) !== index)
  return Object.fromEntries(several.map((field) => [field, { collection: 'replace' as const }]))
}
