import { Failure } from './errors.ts'
import type { WriteContext } from './implement.ts'

/** 412 where the caller's `If-Match` names other versions than the current one of what they change; `what` is its name for people. */
export function requireVersion({ ifMatch }: Pick<WriteContext, 'ifMatch'>, what: string, version: number): void {
  if (ifMatch === undefined || ifMatch.includes(version)) return
  throw new Failure({
    code: 'version_mismatch',
    detail: `The ${what} is at version ${version}.`,
    source: { header: 'If-Match' },
    meta: { current_version: version },
  })
}
