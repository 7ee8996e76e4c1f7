import type { ErrorObject } from '../errors.ts'

const rowPointer = /^\/data\/\d+(?:\/attributes)?(?:\/(.*))?$/

/** Writes an error of one item of a bulk creation as the reason why its row is rejected. */
export function rowReason({ detail, source, meta }: ErrorObject): string {
  const field = rowPointer
    .exec(source?.pointer ?? '')?.[1]
    ?.replace('/match/', '/')
    .replaceAll('/', '.')
  const holder = meta?.['existing_id']
  return `${field === undefined ? '' : `${field}: `}${detail}${typeof holder === 'string' ? ` Its id: ${holder}.` : ''}`
}
