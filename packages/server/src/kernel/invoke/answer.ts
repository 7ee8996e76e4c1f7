import type { Call } from '../calls.ts'
import { Failure } from '../errors.ts'
import type { StoredAnswer } from '../idempotency.ts'
import type { Answer, ReadContext } from '../implement.ts'

export const fail: ReadContext<'forbidden'>['fail'] = (code, fault) => new Failure({ code, ...fault })

/** The status, body and headers of what a handler returned. */
export function answer({ endpoint }: Call, { body, version, status }: Answer<unknown>): StoredAnswer {
  return {
    status: status ?? endpoint.status ?? 200,
    body,
    headers: version === undefined ? {} : { ETag: `"${version}"` },
  }
}
