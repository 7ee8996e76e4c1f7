import { idempotencyKeyCharactersMax } from '@kontor/contract'
import { failure, Failure } from './errors.ts'
import type { ReadContext, WriteContext } from './implement.ts'
import { pointer } from '../lib/pointers.ts'

/**
 * Says, in requests of workflows and of webhooks, which workflow they come of and how many have triggered one another
 * so far, so that workflows that send to each other, or to our own API, come to an end.
 */
export const chainHeader = 'kontor-workflow-chain'

/** 1 to 255 printable characters; undefined where the header is absent. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  if (header.length >= 1 && header.length <= idempotencyKeyCharactersMax && /^[\x20-\x7e]+$/.test(header)) return header
  throw failure(
    'invalid_parameter',
    `Idempotency-Key must be 1 to ${idempotencyKeyCharactersMax} printable ASCII characters.`,
    { source: { header: 'Idempotency-Key' } },
  )
}

/**
 * Returns whether an `If-None-Match` header names this `ETag` (RFC 9110 §13.1.2) by the weak comparison: proxies weaken
 * tags.
 */
export const matchesTag = (header: string | undefined, tag: string | undefined): boolean =>
  header !== undefined &&
  tag !== undefined &&
  header.split(',').some((part) => [tag, '*'].includes(part.trim().replace(/^W\//, '')))

/** RFC 9110 §8.8.3: an opaque tag in quotes, weak or not. It may contain commas. */
const entityTag = String.raw`(W/)?"([\x21\x23-\x7e\x80-\xff]*)"`
const oneTag = new RegExp(entityTag, 'g')
const listOfTags = new RegExp(String.raw`^[ \t]*${entityTag}(?:[ \t]*,[ \t]*${entityTag})*[ \t]*$`)
const versionShape = /^(?:0|[1-9]\d{0,14})$/

/**
 * The versions that an `If-Match` header accepts (RFC 9110 §13.1.1); undefined if it is absent or `*`. The comparison
 * is strong, so weak tags are ignored, as are tags that no version has. A header with only those leads to 412.
 */
export function ifMatchVersions(header: string | undefined): number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  if (!listOfTags.test(header))
    throw failure('invalid_parameter', 'If-Match must be the ETag of an earlier response, for example "3".', {
      source: { header: 'If-Match' },
    })
  return [...header.matchAll(oneTag)].flatMap(([, weak, tag = '']) =>
    weak === undefined && versionShape.test(tag) ? [Number(tag)] : [],
  )
}

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

/** Attributes that are read and cannot be changed, under names that resources share. */
const readOnly = [
  ...(['_id', 'type', 'version', 'owner_id', 'acting_id', 'stopped_reason'] as const),
  ...(['_created_at', '_created_by', '_updated_at', '_updated_by'] as const),
]

type ReadOnly = Partial<Record<(typeof readOnly)[number], unknown>>

/** 422 where a body sends what cannot be changed, and not as it was read. */
export function requireAsRead<Name extends string>(
  ctx: WriteContext,
  given: ReadOnly & Partial<Record<Name, unknown>>,
  read: ReadOnly & Partial<Record<Name, unknown>>,
  base: readonly string[],
  more: readonly Name[] = [],
): void {
  const changed = [...readOnly, ...more].find((name) => given[name] !== undefined && given[name] !== read[name])
  if (changed === undefined) return
  throw ctx.fail('invalid_body', {
    detail: `\`${changed}\` cannot be changed: omit it, or send it unchanged.`,
    source: { pointer: pointer([...base, changed]) },
  })
}
