import { idempotencyKeyCharactersMax } from '@kontor/contract'
import { failure } from './errors.ts'

/** 1 to 255 printable characters; undefined where the header is absent. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  if (header.length >= 1 && header.length <= idempotencyKeyCharactersMax && /^[\x20-\x7e]+$/.test(header)) return header
  throw failure('invalid_parameter', `Idempotency-Key takes 1 to ${idempotencyKeyCharactersMax} printable ASCII characters.`, { source: { header: 'Idempotency-Key' } })
}

/** Whether an `If-None-Match` header names this `ETag` (RFC 9110 §13.1.2), however weakly: proxies weaken tags. */
export const matchesTag = (header: string | undefined, tag: string | undefined): boolean =>
  header !== undefined && tag !== undefined && header.split(',').some((part) => [tag, '*'].includes(part.trim().replace(/^W\//, '')))

/** The versions of an `If-Match` header (RFC 9110 §13.1.1); undefined where it is absent or `*`. */
export function ifMatchVersions(header: string | undefined): number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return header.split(',').map((part) => {
    const version = /^\s*"(\d{1,15})"\s*$/.exec(part)?.[1]
    if (version === undefined) throw failure('invalid_parameter', 'If-Match takes the ETag of an earlier answer, for example "3".', { source: { header: 'If-Match' } })
    return Number(version)
  })
}
