import { z } from 'zod'
import type { Clock } from '../../kernel/clock.ts'
import { failure } from '../../kernel/errors.ts'
import { defined } from '../../lib/guards.ts'
import type { KeyRing, SealedByKey } from '../../lib/key-ring.ts'
import { urlMs } from './storage.ts'

const file = { workspaceId: z.string(), id: z.string() }

const grantSchema = z.discriminatedUnion('act', [
  z.object({ act: z.enum(['put', 'post']), ...file, bytesMax: z.number(), bytesMin: z.number().default(0) }),
  z.object({ act: z.literal('transcript'), ...file }),
  z.object({ act: z.literal('get'), ...file, contentType: z.string(), disposition: z.string() }),
])

/** Permission of a signed URL. */
export type Grant = z.infer<typeof grantSchema>

const sealedGrant = z.object({ grant: grantSchema, until: z.number() })

const purpose = 'files.url'

/** The signed URLs of this server, sealed with the keys of the installation: no one else reads or makes them. */
export class FileLinks {
  readonly #keys: KeyRing
  readonly #clock: Clock
  readonly #baseUrl: string

  constructor(parts: { readonly keys: KeyRing; readonly clock: Clock; readonly baseUrl: string }) {
    this.#keys = parts.keys
    this.#clock = parts.clock
    this.#baseUrl = parts.baseUrl
  }

  /** The token stands in the query, which no log has. */
  sign(grant: Grant): string {
    const sealed = this.#keys.seal({ grant, until: this.#clock.now() + urlMs }, purpose)
    return `${this.#baseUrl}/files/${grant.id}?token=${write(sealed)}`
  }

  /** Returns the grant of a token; throws a failure for one that was changed, forged, or has expired. */
  open(token: string): Grant {
    const { grant, until } = this.#unseal(token)
    if (until <= this.#clock.now()) throw failure('url_expired', 'This URL has expired: it was valid for an hour.')
    return grant
  }

  #unseal(token: string): z.infer<typeof sealedGrant> {
    try {
      return sealedGrant.parse(this.#keys.unseal(read(token), purpose))
    } catch {
      throw failure('forbidden', 'This URL was not issued by this server, or has been changed.')
    }
  }
}

const write = ({ key, iv, tag, text }: SealedByKey): string =>
  [key, ...[iv, tag, text].map((part) => Buffer.from(part, 'base64').toString('base64url'))].join('.')

const tokenParts = 4

function read(token: string): SealedByKey {
  const parts = token.split('.')
  if (parts.length !== tokenParts) throw new Error('not a token')
  const [iv, tag, text] = parts.slice(1).map((part) => Buffer.from(part, 'base64url').toString('base64'))
  return { key: defined(parts[0]), iv: defined(iv), tag: defined(tag), text: defined(text) }
}
