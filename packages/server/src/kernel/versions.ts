import { Failure } from './errors.ts'
import type { WriteContext } from './implement.ts'

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
