import { LRUCache } from 'lru-cache'
import { textOf } from '../../../lib/guards.ts'
import type { Database } from '../../../db/tx.ts'
import type { Actor } from '../../../kernel/actor.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { failure } from '../../../kernel/errors.ts'
import { hashSecret, newSecret } from '../../../kernel/ids.ts'
import { roomFor } from '../../../lib/caches.ts'
import { throttle } from '../../../lib/throttle.ts'
import { findKeyByHash, updateKey, type ApiKeyRow, type FoundKey } from './store.ts'
import { crc32 } from 'node:zlib'

const cachedMax = 10_000
const usedEveryMs = 60_000

type Options = {
  readonly database: Database
  readonly clock: Clock
  readonly trustMs: number
  readonly onError: (error: unknown) => void
}

/**
 * Finds the owner of an API key. A key that was read is trusted for `trustMs`; a change on this node takes effect at
 * once.
 */
export class KeyAuthenticator {
  readonly #options: Options
  readonly #cache: LRUCache<string, FoundKey>
  #changes = 0
  readonly #mayNote: ReturnType<typeof throttle>

  constructor(options: Options) {
    this.#options = options
    this.#cache = new LRUCache({
      ...roomFor(cachedMax),
      ttl: options.trustMs,
      perf: { now: () => options.clock.monotonicMs() },
    })
    this.#mayNote = throttle(options.clock, usedEveryMs)
  }

  async authenticate(key: string): Promise<Actor> {
    const hash = hashSecret(key)
    const row = this.#cache.get(hash) ?? (await this.#read(key, hash))
    if (row === undefined) throw failure('key_invalid', 'This API key is unknown or was revoked.')
    this.#requireValid(row)
    this.#noteUse(row)
    return actorOf(row)
  }

  forget(): void {
    this.#changes++
    this.#cache.clear()
  }

  /** If a key changed while it was read, the result is used for this request but not cached. */
  async #read(key: string, hash: string): Promise<FoundKey | undefined> {
    if (!isKey(key)) throw failure('key_invalid', 'This is not an API key, or it is incomplete.')
    const changesBefore = this.#changes
    const row = await findKeyByHash(this.#options.database.reader, hash)
    if (row !== undefined && changesBefore === this.#changes) this.#cache.set(hash, row)
    return row
  }

  #requireValid({ expires_at, valid_until }: FoundKey): void {
    const now = this.#options.clock.now()
    if (expires_at !== null && expires_at <= now) throw failure('key_expired', 'This API key has expired.')
    if (valid_until !== undefined && valid_until <= now)
      throw failure('key_expired', 'This API key was rotated, and its overlap has ended.')
  }

  /** Written at most once a minute and never awaited: it is a hint for people, not an exact record of use. */
  #noteUse({ workspace_id, id, last_used_at }: FoundKey): void {
    if (!this.#mayNote(id, last_used_at)) return
    const { clock, database, onError } = this.#options
    database.write((tx) => updateKey(tx, { workspace_id, id, last_used_at: clock.now() })).catch(onError)
  }
}

const actorOf = (row: ApiKeyRow): Actor =>
  row.actor_type === 'user'
    ? {
        kind: 'personal-key',
        userId: textOf(row.user_id),
        keyId: row.id,
        workspaceId: row.workspace_id,
        scopes: row.scopes,
      }
    : { kind: 'workspace-key', keyId: row.id, workspaceId: row.workspace_id, scopes: row.scopes }

type KeyKind = 'personal' | 'workspace'

/** Not `pk_`, as in the first keys: another vendor's `pk_` means "publishable". The first keys still work. */
const prefixes = { personal: 'kp_', workspace: 'kw_' } as const satisfies Record<KeyKind, string>

const secretBytes = 32
const prefix = /^(kp|kw|pk|wk)_/
const shape = new RegExp(`${prefix.source}[A-Za-z0-9_-]{43}[0-9a-z]{7}$`)

/** Seven characters by which a secret scanner tells a key from look-alikes offline. */
const checksum = (text: string): string => crc32(text).toString(36).padStart(7, '0')

/** A new key: prefix, 32 random bytes, checksum. */
export function newKey(kind: KeyKind): string {
  const body = prefixes[kind] + newSecret(secretBytes)
  return body + checksum(body)
}

/** Returns whether a text was meant to be a Kontor key: no access token has such a prefix. */
export const looksLikeKey = (text: string): boolean => prefix.test(text)

/** Returns whether a text is a complete and undamaged Kontor key, known or not. */
const isKey = (text: string): boolean => shape.test(text) && checksum(text.slice(0, -7)) === text.slice(-7)

export const shownPrefix = (key: string): string => key.slice(0, 7)
