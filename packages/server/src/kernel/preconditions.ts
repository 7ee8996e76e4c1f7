import { Failure } from './errors.ts'
import type { ReadContext, WriteContext } from './implement.ts'

/**
 * 412 if the caller's `If-Match` does not accept the current version of what it changes; `what` is the thing's name for
 * people.
 */
export function requireVersion({ ifMatch }: Pick<WriteContext, 'ifMatch'>, what: string, version: number): void {
  if (ifMatch === undefined || ifMatch.includes(version)) return
  throw new Failure({
    code: 'version_mismatch',
    detail: `The ${what} is at version ${version}.`,
    source: { header: 'If-Match' },
    meta: { current_version: version },
  })
}

/** A body that names what it changes must name what the path does. */
export function requireSameId({ fail }: Pick<ReadContext, 'fail'>, given: string | undefined, inPath: string): void {
  if (given !== undefined && given !== inPath)
    throw fail('invalid_body', { detail: 'Must be the id in the path.', source: { pointer: '/data/id' } })
}
