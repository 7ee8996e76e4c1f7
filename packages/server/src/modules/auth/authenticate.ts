import type { Actor } from '../../kernel/actor.ts'
import { failure } from '../../kernel/errors.ts'
import type { KeyAuthenticator } from '../api-keys/index.ts'
import type { TokenAuthenticator } from './tokens.ts'

const headerMax = 8192

/** Reads `Authorization: api-key <KEY>` or `Authorization: Bearer <TOKEN>` (spec §5). */
export const authenticator =
  (keys: KeyAuthenticator, tokens: TokenAuthenticator) =>
  async (authorization: string | undefined): Promise<Actor> => {
    if (authorization === undefined) throw failure('unauthenticated', 'Send an Authorization header.')
    const [, scheme = '', credential = ''] = /^([A-Za-z-]+) +(\S+) *$/.exec(authorization.length > headerMax ? '' : authorization) ?? []
    switch (scheme.toLowerCase()) {
      case 'api-key':
        return keys.authenticate(credential)
      case 'bearer':
        if (/^[pw]k_/.test(credential)) throw failure('key_invalid', 'This is an API key: send it as "Authorization: api-key <API_KEY>", not as a Bearer token.')
        return tokens.authenticate(credential)
      default:
        throw failure('unauthenticated', 'The Authorization header must be "api-key <API_KEY>" or "Bearer <ACCESS_TOKEN>".')
    }
  }
